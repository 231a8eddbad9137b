// SPDX-License-Identifier: MIT
/* What the processor says of itself: see asm/processor.h. */
#include <asm/processor.h>
#include <linux/string.h>
#include <linux/types.h>

#ifdef __x86_64__
#include <pthread.h>

static struct cpuinfo_x86 info;
static pthread_once_t filled = PTHREAD_ONCE_INIT;

static void fill(void)
{
	unsigned int a, b, c, d, words[12];

	cpuid(0, &a, &b, &c, &d);
	memcpy(info.x86_vendor_id, &b, 4);
	memcpy(info.x86_vendor_id + 4, &d, 4);
	memcpy(info.x86_vendor_id + 8, &c, 4);
	info.x86_vendor = strcmp(info.x86_vendor_id, "AuthenticAMD") ? X86_VENDOR_INTEL :
								       X86_VENDOR_AMD;
	cpuid(1, &a, &b, &c, &d);
	info.x86 = (__u8)(a >> 8 & 15);
	if (info.x86 == 15)
		info.x86 = (__u8)(15 + (a >> 20 & 255));
	info.x86_model = (__u8)((a >> 4 & 15) | (a >> 12 & 0xf0));
	info.x86_stepping = (__u8)(a & 15);
	info.x86_clflush_size = (u16)((b >> 8 & 255) * 8);
	info.x86_cache_alignment = info.x86_clflush_size;
	if (cpuid_eax(0x80000000) >= 0x80000008) {
		for (unsigned int i = 0; i < 3; i++)
			cpuid(0x80000002 + i, words + 4 * i, words + 4 * i + 1, words + 4 * i + 2,
			      words + 4 * i + 3);
		memcpy(info.x86_model_id, words, sizeof(words));
		info.x86_phys_bits = cpuid_eax(0x80000008) & 255;
		info.x86_virt_bits = cpuid_eax(0x80000008) >> 8 & 255;
	}
}

struct cpuinfo_x86 *usermm_cpu_data(void)
{
	pthread_once(&filled, fill);
	return &info;
}
#endif
