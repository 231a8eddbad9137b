// SPDX-License-Identifier: MIT
/* Dates of clocks: see linux/rtc.h. cf. Linux drivers/rtc/lib.c. */
#include <linux/math64.h>
#include <linux/rtc.h>
#include <linux/time.h>

static const unsigned char month_days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };

static bool is_leap(int year)
{
	return (year % 4 == 0 && year % 100) || year % 400 == 0;
}

static int days_of(int month, int year)
{
	return month_days[month] + (month == 1 && is_leap(year));
}

void rtc_time64_to_tm(time64_t time, struct rtc_time *tm)
{
	s32 rest;
	time64_t days = div_s64_rem(time, 86400, &rest);
	int year = 1970, month = 0;

	if (rest < 0) {
		rest += 86400;
		days--;
	}
	*tm = (struct rtc_time){ 0 };
	tm->tm_hour = rest / 3600;
	tm->tm_min = rest / 60 % 60;
	tm->tm_sec = rest % 60;
	tm->tm_wday = (int)((days % 7 + 7 + 4) % 7);	/* 1970 began on a Thursday */
	for (; days < 0; year--)
		days += is_leap(year - 1) ? 366 : 365;
	for (; days >= (is_leap(year) ? 366 : 365); year++)
		days -= is_leap(year) ? 366 : 365;
	tm->tm_year = year - 1900;
	tm->tm_yday = (int)days;
	for (; days >= days_of(month, year); month++)
		days -= days_of(month, year);
	tm->tm_mon = month;
	tm->tm_mday = (int)days + 1;
}

/* Whole years since 1970, then whole months, then days. */
time64_t rtc_tm_to_time64(struct rtc_time *tm)
{
	time64_t days = tm->tm_mday - 1;

	for (int year = 1970; year < tm->tm_year + 1900; year++)
		days += is_leap(year) ? 366 : 365;
	for (int month = 0; month < tm->tm_mon; month++)
		days += days_of(month, tm->tm_year + 1900);
	return ((days * 24 + tm->tm_hour) * 60 + tm->tm_min) * 60 + tm->tm_sec;
}

int rtc_valid_tm(struct rtc_time *tm)
{
	if (tm->tm_year < 70 || tm->tm_mon < 0 || tm->tm_mon > 11 || tm->tm_mday < 1 ||
	    tm->tm_mday > days_of(tm->tm_mon, tm->tm_year + 1900) || tm->tm_hour < 0 ||
	    tm->tm_hour > 23 || tm->tm_min < 0 || tm->tm_min > 59 || tm->tm_sec < 0 ||
	    tm->tm_sec > 59)
		return -EINVAL;
	return 0;
}

void time64_to_tm(time64_t seconds, int offset, struct tm *result)
{
	struct rtc_time date;

	rtc_time64_to_tm(seconds + offset, &date);
	*result = (struct tm){
		.tm_sec = date.tm_sec, .tm_min = date.tm_min, .tm_hour = date.tm_hour,
		.tm_mday = date.tm_mday, .tm_mon = date.tm_mon, .tm_year = date.tm_year,
		.tm_wday = date.tm_wday, .tm_yday = date.tm_yday,
	};
}
