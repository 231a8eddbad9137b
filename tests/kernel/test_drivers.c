// SPDX-License-Identifier: MIT
/*
 * Small interfaces for drivers: a kfifo's scatter lists, data that live patches attach to objects
 * (shadow variables), sound cards, flash memory, interval trees, lists with a lock, serial ports,
 * screens.
 */
#include <kunit/test.h>
#include <linux/bcd.h>
#include <linux/connector.h>
#include <linux/cpufreq.h>
#include <linux/device-mapper.h>
#include <linux/dmaengine.h>
#include <linux/fb.h>
#include <linux/interval_tree.h>
#include <linux/kfifo.h>
#include <linux/list_bl.h>
#include <linux/livepatch.h>
#include <linux/module.h>
#include <linux/mtd/mtd.h>
#include <linux/nvmem-provider.h>
#include <linux/serial_core.h>
#include <linux/units.h>
#include <linux/w1.h>
#include <net/netlink.h>
#include <sound/control.h>
#include <sound/core.h>
#include <sound/pcm.h>

/* A device fills and empties a queue by itself: two pieces where the queue's memory ends. */
static void test_tables_of_a_queue(struct kunit *test)
{
	DEFINE_KFIFO(queue, int, 8);
	const int numbers[] = { 1, 2, 3, 4, 5, 6 };
	struct scatterlist table[4];
	unsigned int nr;

	sg_init_table(table, ARRAY_SIZE(table));
	kfifo_in(&queue, numbers, 6);
	kfifo_skip_count(&queue, 5);
	nr = kfifo_dma_in_prepare(&queue, table, ARRAY_SIZE(table), 5 * sizeof(int));
	KUNIT_ASSERT_EQ(test, nr, 2U);
	KUNIT_EXPECT_EQ(test, table[0].length, 2 * (unsigned int)sizeof(int));
	KUNIT_EXPECT_EQ(test, table[1].length, 3 * (unsigned int)sizeof(int));
	KUNIT_EXPECT_TRUE(test, sg_is_last(&table[1]));
	memcpy(sg_virt(&table[0]), (int[]){ 7, 8 }, 2 * sizeof(int));
	memcpy(sg_virt(&table[1]), (int[]){ 9, 10, 11 }, 3 * sizeof(int));
	kfifo_dma_in_finish(&queue, 5 * sizeof(int));
	KUNIT_EXPECT_EQ(test, kfifo_len(&queue), 6U);

	sg_init_table(table, ARRAY_SIZE(table));
	KUNIT_EXPECT_EQ(test, kfifo_dma_out_prepare(&queue, table, 1, 6 * sizeof(int)), 1U);
	KUNIT_EXPECT_EQ(test, table[0].length, 3 * (unsigned int)sizeof(int));
	KUNIT_EXPECT_EQ(test, ((int *)sg_virt(&table[0]))[0], 6);
	kfifo_dma_out_finish(&queue, 4 * sizeof(int));
	KUNIT_EXPECT_EQ(test, kfifo_get(&queue, (int *)sg_virt(&table[0])), 1);
	KUNIT_EXPECT_EQ(test, *(int *)sg_virt(&table[0]), 10);
}

static int construct(void *object, void *shadow, void *data)
{
	(void)object;
	*(int *)shadow = *(int *)data;
	return *(int *)data < 0 ? *(int *)data : 0;
}

static int destroyed;

static void destroy(void *object, void *shadow)
{
	(void)object;
	destroyed += *(int *)shadow;
}

static void test_data_added_to_objects(struct kunit *test)
{
	int one = 1, two = 2, bad = -5;
	int *shadow = klp_shadow_alloc(&one, 3, sizeof(int), GFP_KERNEL, construct, &one);

	KUNIT_ASSERT_NOT_NULL(test, shadow);
	KUNIT_EXPECT_EQ(test, *shadow, 1);
	KUNIT_EXPECT_PTR_EQ(test, klp_shadow_get(&one, 3), (void *)shadow);
	KUNIT_EXPECT_NULL(test, klp_shadow_get(&one, 4));
	KUNIT_EXPECT_NULL(test, klp_shadow_get(&two, 3));
	KUNIT_EXPECT_PTR_EQ(test, klp_shadow_get_or_alloc(&one, 3, 4, GFP_KERNEL, construct, &two),
			    (void *)shadow);
	KUNIT_EXPECT_NULL(test, klp_shadow_alloc(&two, 3, 4, GFP_KERNEL, construct, &bad));
	KUNIT_EXPECT_NOT_NULL(test, klp_shadow_get_or_alloc(&two, 3, 4, GFP_KERNEL, construct,
							    &two));
	destroyed = 0;
	klp_shadow_free(&one, 4, destroy);
	KUNIT_EXPECT_EQ(test, destroyed, 0);
	klp_shadow_free(&one, 3, destroy);
	KUNIT_EXPECT_EQ(test, destroyed, 1);
	klp_shadow_free_all(3, destroy);
	KUNIT_EXPECT_EQ(test, destroyed, 3);
	KUNIT_EXPECT_NULL(test, klp_shadow_get(&two, 3));
}

static char order[16];

static int note_free(struct snd_device *device)
{
	strcat(order, device->device_data);
	return 0;
}

static int no_info(struct snd_kcontrol *control, struct snd_ctl_elem_info *info)
{
	return snd_ctl_boolean_mono_info(control, info);
}

static int refuse(struct snd_device *device)
{
	return strcmp(device->device_data, "b") ? 0 : -EIO;
}

static void test_sound_card(struct kunit *test)
{
	static const struct snd_device_ops noting = { .dev_free = note_free,
						      .dev_register = refuse };
	static const struct snd_kcontrol_new control = {
		.iface = SNDRV_CTL_ELEM_IFACE_MIXER, .name = "Volume", .info = no_info,
	};
	static const struct snd_pcm_ops operations;
	struct snd_card *card;
	struct snd_pcm *pcm;

	KUNIT_ASSERT_EQ(test, snd_card_new(NULL, -1, "own", THIS_MODULE, 8, &card), 0);
	KUNIT_EXPECT_NOT_NULL(test, card->private_data);
	KUNIT_EXPECT_STREQ(test, card->id, "own");
	KUNIT_EXPECT_EQ(test, snd_device_new(card, SNDRV_DEV_LOWLEVEL, "a", &noting), 0);
	KUNIT_EXPECT_EQ(test, snd_device_new(card, SNDRV_DEV_LOWLEVEL, NULL, &noting), -ENXIO);
	KUNIT_EXPECT_EQ(test, snd_ctl_add(card, snd_ctl_new1(&control, NULL)), 0);
	KUNIT_EXPECT_EQ(test, snd_ctl_add(card, snd_ctl_new1(&control, NULL)), -EBUSY);
	KUNIT_EXPECT_EQ(test, snd_ctl_add(card, NULL), -EINVAL);
	KUNIT_ASSERT_EQ(test, snd_pcm_new(card, "pcm", 0, 2, 1, &pcm), 0);
	snd_pcm_set_ops(pcm, SNDRV_PCM_STREAM_PLAYBACK, &operations);
	KUNIT_EXPECT_PTR_EQ(test, pcm->streams[0].substream->next->ops, &operations);
	KUNIT_EXPECT_NULL(test, pcm->streams[1].substream->ops);
	KUNIT_EXPECT_EQ(test, snd_card_register(card), 0);
	KUNIT_EXPECT_EQ(test, snd_device_new(card, SNDRV_DEV_LOWLEVEL, "b", &noting), 0);
	*order = '\0';
	snd_card_free(card);
	KUNIT_EXPECT_STREQ_MSG(test, order, "ba", "the last one at first");

	KUNIT_ASSERT_EQ(test, snd_card_new(NULL, -1, NULL, THIS_MODULE, 0, &card), 0);
	KUNIT_EXPECT_EQ(test, snd_device_new(card, SNDRV_DEV_LOWLEVEL, "b", &noting), 0);
	KUNIT_EXPECT_EQ(test, snd_card_register(card), -EIO);
	snd_card_free(card);
}

static int flash_read(struct mtd_info *mtd, loff_t from, size_t n, size_t *done, u_char *buffer)
{
	memcpy(buffer, (char *)mtd->priv + from, n);
	*done = n;
	return 0;
}

static int flash_erase(struct mtd_info *mtd, struct erase_info *erase)
{
	memset((char *)mtd->priv + erase->addr, 0xff, erase->len);
	return 0;
}

static void test_flash_memory(struct kunit *test)
{
	char memory[64] = "flash", buffer[8];
	struct mtd_info mtd = {
		.size = 64, .erasesize = 16, .flags = MTD_WRITEABLE, .priv = memory,
		._read = flash_read, ._erase = flash_erase,
	};
	struct erase_info erase = { .addr = 0, .len = 16 };
	size_t done;

	KUNIT_EXPECT_EQ(test, mtd_device_register(&mtd, NULL, 0), -EINVAL);
	mtd.writesize = 1;
	KUNIT_EXPECT_EQ(test, mtd_device_register(&mtd, NULL, 0), 0);
	KUNIT_EXPECT_EQ(test, mtd_read(&mtd, 0, 6, &done, (u_char *)buffer), 0);
	KUNIT_EXPECT_STREQ(test, buffer, "flash");
	KUNIT_EXPECT_EQ(test, mtd_read(&mtd, 60, 6, &done, (u_char *)buffer), -EINVAL);
	KUNIT_EXPECT_EQ(test, done, (size_t)0);
	KUNIT_EXPECT_EQ(test, mtd_write(&mtd, 0, 6, &done, (u_char *)buffer), -EROFS);
	KUNIT_EXPECT_EQ(test, mtd_erase(&mtd, &erase), 0);
	KUNIT_EXPECT_EQ(test, memory[15], (char)0xff);
	KUNIT_EXPECT_EQ(test, memory[16], (char)0);
	erase.addr = 64;
	KUNIT_EXPECT_EQ(test, mtd_erase(&mtd, &erase), -EINVAL);
	KUNIT_EXPECT_EQ(test, mtd_device_unregister(&mtd), 0);
}

/* Every interval that overlaps is found once, in the order of beginnings. */
static void test_intervals(struct kunit *test)
{
	struct rb_root_cached root = RB_ROOT_CACHED;
	struct interval_tree_node nodes[40], *at;
	unsigned long next = 12345;

	for (size_t i = 0; i < ARRAY_SIZE(nodes); i++) {
		next = next * 1103515245 + 12345;
		nodes[i].start = next >> 16 & 127;
		nodes[i].last = nodes[i].start + (next >> 24 & 15);
		interval_tree_insert(&nodes[i], &root);
	}
	for (size_t i = 0; i < 10; i++)
		interval_tree_remove(&nodes[i], &root);
	for (unsigned long first = 0; first < 145; first += 3) {
		unsigned long before = 0;
		size_t expected = 0, found = 0;

		for (size_t i = 10; i < ARRAY_SIZE(nodes); i++)
			expected += nodes[i].start <= first + 5 && nodes[i].last >= first;
		for (at = interval_tree_iter_first(&root, first, first + 5); at;
		     at = interval_tree_iter_next(at, first, first + 5)) {
			KUNIT_ASSERT_TRUE(test, at->start >= before && at->last >= first);
			before = at->start;
			found++;
		}
		KUNIT_ASSERT_EQ(test, found, expected);
	}
}

static void test_lists_with_a_lock(struct kunit *test)
{
	struct item {
		struct hlist_bl_node node;
		int number;
	} items[3] = { { .number = 0 }, { .number = 1 }, { .number = 2 } }, *at;
	struct hlist_bl_head head;
	struct hlist_bl_node *node;
	int sum = 0;

	INIT_HLIST_BL_HEAD(&head);
	KUNIT_EXPECT_TRUE(test, hlist_bl_empty(&head));
	hlist_bl_lock(&head);
	for (int i = 0; i < 3; i++)
		hlist_bl_add_head(&items[i].node, &head);
	hlist_bl_del_init(&items[2].node);
	KUNIT_EXPECT_TRUE(test, hlist_bl_is_locked(&head));
	hlist_bl_for_each_entry(at, node, &head, node)
		sum = sum * 10 + at->number + 1;
	hlist_bl_unlock(&head);
	KUNIT_EXPECT_EQ(test, sum, 21);
	KUNIT_EXPECT_TRUE(test, hlist_bl_unhashed(&items[2].node));
	KUNIT_EXPECT_FALSE(test, hlist_bl_is_locked(&head));
	hlist_bl_del(&items[1].node);
	hlist_bl_del(&items[0].node);
	KUNIT_EXPECT_TRUE(test, hlist_bl_empty(&head));
}

static int nr_stopped;

static void stop_tx(struct uart_port *port)
{
	(void)port;
	nr_stopped++;
}

static const struct uart_ops no_operations = { .stop_tx = stop_tx };

static int check_width(struct fb_var_screeninfo *var, struct fb_info *info)
{
	(void)info;
	return var->xres > 640 ? -EINVAL : 0;
}

static const struct fb_ops narrow_operations = { .fb_check_var = check_width };
static const struct fb_videomode modes[] = {
	{ .xres = 1024, .yres = 768 }, { .xres = 640, .yres = 480, .pixclock = 20000 },
};

static void test_ports_and_screens(struct kunit *test)
{
	struct uart_driver driver = { .nr = 1, .driver_name = "own" };
	struct uart_port port = { .ops = &no_operations }, second = { .ops = &no_operations };
	struct fb_info *screen = framebuffer_alloc(16, NULL);
	unsigned int sent = 0;
	u8 byte;

	KUNIT_EXPECT_EQ(test, uart_register_driver(&(struct uart_driver){ 0 }), -EINVAL);
	KUNIT_ASSERT_EQ(test, uart_register_driver(&driver), 0);
	KUNIT_EXPECT_EQ(test, uart_add_one_port(&driver, &port), 0);
	KUNIT_EXPECT_EQ(test, uart_add_one_port(&driver, &second), -EINVAL);
	port.x_char = 'x';
	KUNIT_EXPECT_EQ(test, uart_port_tx(&port, byte, true, sent = sent * 256 + byte), 0U);
	KUNIT_EXPECT_EQ(test, sent, (unsigned int)'x');
	KUNIT_EXPECT_EQ(test, port.icount.tx, 1U);
	KUNIT_EXPECT_EQ(test, nr_stopped, 1);
	uart_remove_one_port(&driver, &port);
	KUNIT_EXPECT_EQ(test, uart_add_one_port(&driver, &second), 0);
	uart_remove_one_port(&driver, &second);
	uart_unregister_driver(&driver);

	KUNIT_ASSERT_NOT_NULL(test, screen);
	KUNIT_EXPECT_NOT_NULL(test, screen->par);
	KUNIT_EXPECT_EQ(test, register_framebuffer(screen), -EINVAL);
	screen->fbops = &narrow_operations;
	KUNIT_EXPECT_EQ(test, fb_find_mode(&screen->var, screen, NULL, NULL, 0, &modes[1], 16), 3);
	KUNIT_EXPECT_EQ(test, screen->var.xres_virtual * screen->var.bits_per_pixel, 640U * 16);
	KUNIT_EXPECT_EQ(test, fb_find_mode(&screen->var, screen, NULL, modes, 2, NULL, 8), 5);
	KUNIT_EXPECT_EQ(test, screen->var.yres, 480U);
	KUNIT_EXPECT_EQ(test, fb_find_mode(&screen->var, screen, NULL, modes, 1, NULL, 8), 0);
	KUNIT_EXPECT_EQ(test, fb_alloc_cmap(&screen->cmap, 256, 0), 0);
	KUNIT_EXPECT_EQ(test, screen->cmap.len, 256U);
	KUNIT_EXPECT_NULL(test, screen->cmap.transp);
	fb_dealloc_cmap(&screen->cmap);
	framebuffer_release(screen);
}

/* A module that hides from lsmod, and shows itself again. */
static void test_module_leaves_its_list(struct kunit *test)
{
	struct list_head *neighbour = THIS_MODULE->list.prev;

	KUNIT_EXPECT_FALSE(test, list_empty(&THIS_MODULE->list));
	list_del(&THIS_MODULE->list);
	KUNIT_EXPECT_TRUE(test, list_empty(neighbour));
	list_add(&THIS_MODULE->list, neighbour);
	KUNIT_EXPECT_PTR_EQ(test, neighbour->next, &THIS_MODULE->list);
}

static void test_what_is_absent(struct kunit *test)
{
	static const struct nla_policy policy[] = {
		[1] = NLA_POLICY_RANGE(NLA_U8, 1, 5), [2] = NLA_POLICY_MAX(NLA_U32, 7),
	};
	struct nvmem_config nvmem = { .name = "own" };
	struct w1_reg_num slave = { .family = 0x02, .id = 0x01b81c, .crc = 0xa2 };
	dma_cap_mask_t mask;
	u64 number;
	struct cn_msg message = { .len = 0 };

	dma_cap_zero(mask);
	dma_cap_set(DMA_MEMCPY, mask);
	KUNIT_EXPECT_TRUE(test, dma_has_cap(DMA_MEMCPY, mask));
	KUNIT_EXPECT_NULL(test, dma_request_channel(mask, NULL, NULL));
	KUNIT_EXPECT_EQ(test, PTR_ERR(dma_request_chan(NULL, "tx")), -ENODEV);
	KUNIT_EXPECT_EQ(test, cn_netlink_send(&message, 0, 1, GFP_KERNEL), -ESRCH);
	KUNIT_EXPECT_EQ(test, PTR_ERR(nvmem_register(&nvmem)), -EINVAL);
	KUNIT_EXPECT_EQ(test, (int)policy[1].max, 5);
	KUNIT_EXPECT_EQ(test, (int)policy[2].validation_type, (int)NLA_VALIDATE_MAX);
	KUNIT_EXPECT_EQ(test, bcd2bin(0x59) * 100 + bin2bcd(42), 5900 + 0x42);
	KUNIT_EXPECT_EQ(test, kelvin_to_celsius(300), 27L);
	memcpy(&number, &slave, sizeof(number));
	KUNIT_EXPECT_EQ(test, number, 0xa200000001b81c02ULL);
	KUNIT_EXPECT_EQ(test, (int)w1_calc_crc8((u8[]){ 0x02, 0x1c, 0xb8, 0x01, 0, 0, 0 }, 7),
			0xa2);
}

static void test_sizes_of_samples(struct kunit *test)
{
	static const struct {
		int format, width, physical;
	} known[] = {
		{ 0, 8, 8 }, { 2, 16, 16 }, { 6, 24, 32 }, { 10, 32, 32 }, { 14, 32, 32 },
		{ 16, 64, 64 }, { 18, 32, 32 }, { 20, 8, 8 }, { 22, 4, 4 },
		{ 23, -EINVAL, -EINVAL }, { 25, 20, 32 }, { 31, -EINVAL, -EINVAL },
		{ 32, 24, 24 }, { 36, 20, 24 }, { 40, 18, 24 }, { 44, 3, 3 }, { 45, 3, 8 },
		{ 47, 5, 8 }, { 48, 8, 8 }, { 49, 16, 16 }, { 50, 32, 32 }, { 51, 16, 16 },
		{ 52, 32, 32 }, { 53, -EINVAL, -EINVAL }, { -1, -EINVAL, -EINVAL },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(known); i++) {
		snd_pcm_format_t format = (__force snd_pcm_format_t)known[i].format;

		KUNIT_EXPECT_EQ(test, snd_pcm_format_width(format), known[i].width);
		KUNIT_EXPECT_EQ(test, snd_pcm_format_physical_width(format), known[i].physical);
	}
	KUNIT_EXPECT_EQ(test, snd_pcm_format_size(SNDRV_PCM_FORMAT_S24_3LE, 4), (ssize_t)12);
	/* Without an order, samples are in the CPU's. */
#ifdef __BIG_ENDIAN
	KUNIT_EXPECT_EQ(test, SNDRV_PCM_FMTBIT_S16, 1ULL << (int)SNDRV_PCM_FORMAT_S16_BE);
	KUNIT_EXPECT_EQ(test, SNDRV_PCM_FMTBIT_S32, 1ULL << (int)SNDRV_PCM_FORMAT_S32_BE);
#else
	KUNIT_EXPECT_EQ(test, SNDRV_PCM_FMTBIT_S16, 1ULL << (int)SNDRV_PCM_FORMAT_S16_LE);
	KUNIT_EXPECT_EQ(test, SNDRV_PCM_FMTBIT_S32, 1ULL << (int)SNDRV_PCM_FORMAT_S32_LE);
#endif
	KUNIT_EXPECT_EQ(test, snd_pcm_format_size(SNDRV_PCM_FORMAT_MPEG, 4), (ssize_t)-EINVAL);
}

static void test_governors_have_names(struct kunit *test)
{
	struct cpufreq_governor first = { .name = "own" }, second = { .name = "OWN" };

	KUNIT_EXPECT_EQ(test, cpufreq_register_governor(NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, cpufreq_register_governor(&first), 0);
	KUNIT_EXPECT_EQ(test, cpufreq_register_governor(&second), -EBUSY);
	cpufreq_unregister_governor(&first);
	KUNIT_EXPECT_EQ(test, cpufreq_register_governor(&second), 0);
	cpufreq_unregister_governor(&second);
	KUNIT_EXPECT_NULL(test, cpufreq_cpu_get(0));
}

static void test_targets_have_names(struct kunit *test)
{
	static const struct dm_arg number = { 2, 9, "not 2 to 9" };
	struct target_type first = { .name = "own" }, second = { .name = "own" };
	char *arguments[] = { "7", "10", "2", "a", "b", "3", "c" }, *error = NULL;
	struct dm_arg_set set = { ARRAY_SIZE(arguments), arguments };
	struct dm_target target = { .begin = 8 };
	unsigned int value;

	KUNIT_EXPECT_EQ(test, dm_register_target(&first), 0);
	KUNIT_EXPECT_EQ(test, dm_register_target(&second), -EEXIST);
	dm_unregister_target(&first);
	KUNIT_EXPECT_EQ(test, dm_register_target(&second), 0);
	dm_unregister_target(&second);

	KUNIT_EXPECT_EQ(test, dm_read_arg(&number, &set, &value, &error), 0);
	KUNIT_EXPECT_EQ(test, value, 7U);
	KUNIT_EXPECT_EQ(test, dm_read_arg(&number, &set, &value, &error), -EINVAL);
	KUNIT_EXPECT_STREQ(test, error, "not 2 to 9");
	KUNIT_EXPECT_EQ(test, dm_read_arg_group(&number, &set, &value, &error), 0);
	KUNIT_EXPECT_EQ(test, value, 2U);
	dm_consume_args(&set, 1);
	KUNIT_EXPECT_STREQ(test, dm_shift_arg(&set), "b");
	KUNIT_EXPECT_EQ(test, dm_read_arg_group(&number, &set, &value, &error), -EINVAL);
	KUNIT_EXPECT_STREQ(test, dm_shift_arg(&set), "c");
	KUNIT_EXPECT_NULL(test, dm_shift_arg(&set));
	KUNIT_EXPECT_EQ(test, dm_read_arg(&number, &set, &value, &error), -EINVAL);
	KUNIT_EXPECT_EQ(test, dm_set_target_max_io_len(&target, 64), 0);
	KUNIT_EXPECT_EQ(test, target.max_io_len, 64U);
	KUNIT_EXPECT_EQ(test, dm_set_target_max_io_len(&target, 1ULL << 32), -EINVAL);
	KUNIT_EXPECT_EQ(test, (int)dm_target_offset(&target, 10), 2);
	KUNIT_EXPECT_EQ(test, to_sector(5000), (sector_t)9);
	KUNIT_EXPECT_EQ(test, to_bytes(9), 4608UL);
}

static void test_target_says_name_and_version(struct kunit *test)
{
	static const struct target_type type = { .name = "own", .version = { 1, 20, 3 } };
	const unsigned int maxlen = 40;
	unsigned int sz = 1;
	char result[40] = "<";

	DMEMIT_TARGET_NAME_VERSION(&type);
	KUNIT_EXPECT_STREQ(test, result, "<target_name=own,target_version=1.20.3");
	KUNIT_EXPECT_EQ(test, sz, 38U);
	DMEMIT_TARGET_NAME_VERSION(&type);	/* no room is left */
	KUNIT_EXPECT_STREQ(test, result, "<target_name=own,target_version=1.20.3t");
}

static struct kunit_case cases[] = {
	KUNIT_CASE(test_tables_of_a_queue),
	KUNIT_CASE(test_data_added_to_objects),
	KUNIT_CASE(test_sound_card),
	KUNIT_CASE(test_flash_memory),
	KUNIT_CASE(test_intervals),
	KUNIT_CASE(test_lists_with_a_lock),
	KUNIT_CASE(test_ports_and_screens),
	KUNIT_CASE(test_module_leaves_its_list),
	KUNIT_CASE(test_what_is_absent),
	KUNIT_CASE(test_sizes_of_samples),
	KUNIT_CASE(test_governors_have_names),
	KUNIT_CASE(test_targets_have_names), KUNIT_CASE(test_target_says_name_and_version),
	{}
};

static struct kunit_suite suite = { .name = "kernel_drivers", .test_cases = cases };
kunit_test_suite(suite);
