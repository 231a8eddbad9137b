// SPDX-License-Identifier: MIT
/* Arithmetic and checksums too long to inline. */
#include <linux/crc32.h>
#include <linux/math.h>

unsigned long int_sqrt(unsigned long x)
{
	return int_sqrt64(x);
}

u32 int_sqrt64(u64 x)
{
	u64 root = 0;

	for (int bit = 31; bit >= 0; bit--)
		if ((root | 1ULL << bit) * (root | 1ULL << bit) <= x)
			root |= 1ULL << bit;
	return (u32)root;
}

u64 int_pow(u64 base, unsigned int exponent)
{
	u64 result = 1;

	for (; exponent; exponent >>= 1, base *= base)
		if (exponent & 1)
			result *= base;
	return result;
}

unsigned long gcd(unsigned long a, unsigned long b)
{
	while (b) {
		unsigned long rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

unsigned long lcm(unsigned long a, unsigned long b)
{
	return a && b ? a / gcd(a, b) * b : 0;
}

unsigned long lcm_not_zero(unsigned long a, unsigned long b)
{
	unsigned long both = lcm(a, b);

	return both ? both : b ? b : a;
}

u32 crc32_le(u32 crc, const unsigned char *bytes, size_t n)
{
	while (n--) {
		crc ^= *bytes++;
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	return crc;
}
