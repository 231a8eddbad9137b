/* SPDX-License-Identifier: MIT */
/* As on a machine whose devices copy no memory by themselves: no channel is found. */
#ifndef LINUX_DMAENGINE_H
#define LINUX_DMAENGINE_H

#include <linux/bitmap.h>
#include <linux/bug.h>
#include <linux/completion.h>
#include <linux/device.h>
#include <linux/dma-mapping.h>
#include <linux/err.h>
#include <linux/scatterlist.h>
#include <linux/types.h>

typedef s32 dma_cookie_t;

enum dma_status { DMA_COMPLETE, DMA_IN_PROGRESS, DMA_PAUSED, DMA_ERROR, DMA_OUT_OF_ORDER };
enum dma_transaction_type {
	DMA_MEMCPY, DMA_XOR, DMA_PQ, DMA_XOR_VAL, DMA_PQ_VAL, DMA_MEMSET, DMA_MEMSET_SG,
	DMA_INTERRUPT, DMA_PRIVATE, DMA_ASYNC_TX, DMA_SLAVE, DMA_CYCLIC, DMA_INTERLEAVE,
	DMA_TX_TYPE_END,
};
enum dma_transfer_direction {
	DMA_MEM_TO_MEM, DMA_MEM_TO_DEV, DMA_DEV_TO_MEM, DMA_DEV_TO_DEV, DMA_TRANS_NONE,
};
enum dma_ctrl_flags {
	DMA_PREP_INTERRUPT = 1 << 0, DMA_CTRL_ACK = 1 << 1, DMA_PREP_PQ_DISABLE_P = 1 << 2,
	DMA_PREP_PQ_DISABLE_Q = 1 << 3, DMA_PREP_CONTINUE = 1 << 4, DMA_PREP_FENCE = 1 << 5,
};
enum dma_slave_buswidth {
	DMA_SLAVE_BUSWIDTH_UNDEFINED, DMA_SLAVE_BUSWIDTH_1_BYTE, DMA_SLAVE_BUSWIDTH_2_BYTES,
	DMA_SLAVE_BUSWIDTH_4_BYTES = 4, DMA_SLAVE_BUSWIDTH_8_BYTES = 8,
};

typedef struct {
	unsigned long bits[BITS_TO_LONGS(DMA_TX_TYPE_END)];
} dma_cap_mask_t;
#define dma_cap_zero(mask) bitmap_zero((mask).bits, DMA_TX_TYPE_END)
#define dma_cap_set(type, mask) __set_bit(type, (mask).bits)
#define dma_cap_clear(type, mask) __clear_bit(type, (mask).bits)
#define dma_has_cap(type, mask) test_bit(type, (mask).bits)

struct dma_async_tx_descriptor;
struct dma_chan;

struct dma_device {
	struct device *dev;
	unsigned int chancnt;
	struct list_head channels;
	dma_cap_mask_t cap_mask;
	struct dma_async_tx_descriptor *(*device_prep_dma_memcpy)(
		struct dma_chan *channel, dma_addr_t to, dma_addr_t from, size_t n,
		unsigned long flags);
};

struct dma_chan_dev {
	struct dma_chan *chan;
	struct device device;
};

struct dma_chan {
	struct dma_device *device;
	struct device *slave;
	dma_cookie_t cookie, completed_cookie;
	int chan_id;
	struct dma_chan_dev *dev;
	void *private;
};

struct dma_slave_config {
	enum dma_transfer_direction direction;
	phys_addr_t src_addr, dst_addr;
	enum dma_slave_buswidth src_addr_width, dst_addr_width;
	u32 src_maxburst, dst_maxburst;
	bool device_fc;
};

enum dmaengine_tx_result_code { DMA_TRANS_NOERROR, DMA_TRANS_READ_FAILED, DMA_TRANS_WRITE_FAILED,
				DMA_TRANS_ABORTED };

struct dmaengine_result {
	enum dmaengine_tx_result_code result;
	u32 residue;
};

typedef void (*dma_async_tx_callback)(void *parameter);
typedef void (*dma_async_tx_callback_result)(void *parameter,
					     const struct dmaengine_result *result);
typedef bool (*dma_filter_fn)(struct dma_chan *channel, void *parameter);

struct dma_async_tx_descriptor {
	dma_cookie_t cookie;
	enum dma_ctrl_flags flags;
	dma_addr_t phys;
	struct dma_chan *chan;
	dma_cookie_t (*tx_submit)(struct dma_async_tx_descriptor *descriptor);
	dma_async_tx_callback callback;
	dma_async_tx_callback_result callback_result;
	void *callback_param;
};

struct dma_tx_state {
	dma_cookie_t last, used;
	u32 residue;
};

#define dma_request_chan(dev, name) \
	((void)(dev), (void)(name), (struct dma_chan *)ERR_PTR(-ENODEV))
#define dma_request_slave_channel(dev, name) \
	((void)(dev), (void)(name), (struct dma_chan *)NULL)
#define dma_request_chan_by_mask(mask) ((void)(mask), (struct dma_chan *)ERR_PTR(-ENODEV))

static inline struct dma_chan *__dma_request_channel(const dma_cap_mask_t *mask,
						     dma_filter_fn filter, void *parameter)
{
	(void)mask;
	(void)filter;
	(void)parameter;
	return NULL;
}

#define dma_request_channel(mask, filter, parameter) \
	__dma_request_channel(&(mask), filter, parameter)
#define dma_find_channel(type) ((void)(type), (struct dma_chan *)NULL)
#define dma_release_channel(channel) ((void)(channel))
#define dmaengine_get() ((void)0)
#define dmaengine_put() ((void)0)
#define dma_chan_name(channel) dev_name(&(channel)->dev->device)
#define dma_submit_error(cookie) ((cookie) < 0 ? (cookie) : 0)

/* What follows is for channels, and none was handed out. */
#define USERMM_NO_DESCRIPTOR(channel) \
	((void)(channel), (struct dma_async_tx_descriptor *)NULL)
#define dmaengine_prep_slave_single(channel, buffer, n, direction, flags) \
	((void)(buffer), (void)(n), (void)(flags), USERMM_NO_DESCRIPTOR(channel))
#define dmaengine_prep_slave_sg(channel, table, n, direction, flags) \
	dmaengine_prep_slave_single(channel, table, n, direction, flags)
#define dmaengine_prep_dma_cyclic(channel, buffer, n, period, direction, flags) \
	((void)(period), dmaengine_prep_slave_single(channel, buffer, n, direction, flags))
#define dmaengine_prep_dma_memcpy(channel, to, from, n, flags) \
	((void)(to), dmaengine_prep_slave_single(channel, from, n, 0, flags))
#define dmaengine_prep_dma_memset(channel, to, value, n, flags) \
	((void)(value), dmaengine_prep_slave_single(channel, to, n, 0, flags))
#define dmaengine_slave_config(channel, config) ((void)(channel), (void)(config), -ENOSYS)
#define dmaengine_submit(descriptor) ((descriptor)->tx_submit(descriptor))
#define dma_async_issue_pending(channel) ((void)(channel))
#define dma_async_is_tx_complete(channel, cookie, last, used) \
	((void)(channel), (void)(cookie), (void)(last), (void)(used), DMA_ERROR)
#define dmaengine_tx_status(channel, cookie, state) \
	((void)(channel), (void)(cookie), (void)(state), DMA_ERROR)
#define dma_sync_wait(channel, cookie) ((void)(channel), (void)(cookie), DMA_ERROR)
#define dma_wait_for_async_tx(descriptor) ((void)(descriptor), DMA_COMPLETE)
#define dmaengine_terminate_all(channel) ((void)(channel), -ENOSYS)
#define dmaengine_terminate_sync(channel) ((void)(channel), -ENOSYS)
#define dmaengine_terminate_async(channel) ((void)(channel), -ENOSYS)
#define dmaengine_synchronize(channel) ((void)(channel))
#define dmaengine_pause(channel) ((void)(channel), -ENOSYS)
#define dmaengine_resume(channel) ((void)(channel), -ENOSYS)
#define dma_async_device_register(device) ((void)(device), 0)
#define dma_async_device_unregister(device) ((void)(device))
#define dmaenginem_async_device_register(device) ((void)(device), 0)

#endif
