/* SPDX-License-Identifier: MIT */
/* Streams of a sound card. They are made, and nobody opens them. */
#ifndef __SOUND_PCM_H
#define __SOUND_PCM_H

#include <linux/bits.h>
#include <linux/mm.h>
#include <linux/poll.h>
#include <sound/asound.h>
#include <sound/core.h>
#include <sound/memalloc.h>

#define SNDRV_PCM_TRIGGER_STOP 0
#define SNDRV_PCM_TRIGGER_START 1
#define SNDRV_PCM_TRIGGER_PAUSE_PUSH 3
#define SNDRV_PCM_TRIGGER_PAUSE_RELEASE 4
#define SNDRV_PCM_TRIGGER_SUSPEND 5
#define SNDRV_PCM_TRIGGER_RESUME 6
#define SNDRV_PCM_RATE_5512 BIT(0)
#define SNDRV_PCM_RATE_8000 BIT(1)
#define SNDRV_PCM_RATE_11025 BIT(2)
#define SNDRV_PCM_RATE_16000 BIT(3)
#define SNDRV_PCM_RATE_22050 BIT(4)
#define SNDRV_PCM_RATE_32000 BIT(5)
#define SNDRV_PCM_RATE_44100 BIT(6)
#define SNDRV_PCM_RATE_48000 BIT(7)
#define SNDRV_PCM_RATE_64000 BIT(8)
#define SNDRV_PCM_RATE_88200 BIT(9)
#define SNDRV_PCM_RATE_96000 BIT(10)
#define SNDRV_PCM_RATE_176400 BIT(11)
#define SNDRV_PCM_RATE_192000 BIT(12)
#define SNDRV_PCM_RATE_CONTINUOUS BIT(30)
#define SNDRV_PCM_RATE_KNOT BIT(31)
#define SNDRV_PCM_RATE_8000_44100 0x7e
#define SNDRV_PCM_RATE_8000_48000 0xfe
#define SNDRV_PCM_RATE_8000_96000 0x7fe
#define SNDRV_PCM_RATE_8000_192000 0x1ffe
#define USERMM_PCM_FORMAT(format) (1ULL << (__force int)(format))
#define SNDRV_PCM_FMTBIT_S8 USERMM_PCM_FORMAT(SNDRV_PCM_FORMAT_S8)
#define SNDRV_PCM_FMTBIT_U8 USERMM_PCM_FORMAT(SNDRV_PCM_FORMAT_U8)
#define SNDRV_PCM_FMTBIT_S16_LE USERMM_PCM_FORMAT(SNDRV_PCM_FORMAT_S16_LE)
#define SNDRV_PCM_FMTBIT_S16_BE USERMM_PCM_FORMAT(SNDRV_PCM_FORMAT_S16_BE)
#define SNDRV_PCM_FMTBIT_U16_LE USERMM_PCM_FORMAT(SNDRV_PCM_FORMAT_U16_LE)
#define SNDRV_PCM_FMTBIT_S24_LE USERMM_PCM_FORMAT(SNDRV_PCM_FORMAT_S24_LE)
#define SNDRV_PCM_FMTBIT_S24_3LE USERMM_PCM_FORMAT(SNDRV_PCM_FORMAT_S24_3LE)
#define SNDRV_PCM_FMTBIT_S32_LE USERMM_PCM_FORMAT(SNDRV_PCM_FORMAT_S32_LE)
#define SNDRV_PCM_FMTBIT_FLOAT_LE USERMM_PCM_FORMAT(SNDRV_PCM_FORMAT_FLOAT_LE)
#define SNDRV_PCM_FMTBIT_S16 USERMM_PCM_FORMAT(SNDRV_PCM_FORMAT_S16)
#define SNDRV_PCM_FMTBIT_S32 USERMM_PCM_FORMAT(SNDRV_PCM_FORMAT_S32)
#define SNDRV_PCM_POS_XRUN ((snd_pcm_uframes_t)-1)

/* The bits of a sample, in memory if `physical`; -EINVAL if they vary, or for no format. */
static inline int usermm_snd_pcm_bits(snd_pcm_format_t format, bool physical)
{
	int number = (__force int)format;

	switch (number) {
	case 0 ... 1: case 20 ... 21: case 48:		/* 8 bits, laws, DSD */
		return 8;
	case 2 ... 5: case 49: case 51:
		return 16;
	case 6 ... 9:					/* in four bytes */
		return physical ? 32 : 24;
	case 10 ... 15: case 18 ... 19: case 50: case 52:
		return 32;
	case 16 ... 17:
		return 64;
	case 22:					/* IMA ADPCM */
		return 4;
	case 25 ... 28:
		return physical ? 32 : 20;
	case 32 ... 35:					/* in three bytes */
		return 24;
	case 36 ... 39:
		return physical ? 24 : 20;
	case 40 ... 43:
		return physical ? 24 : 18;
	case 44 ... 45:					/* G.723 */
		return physical && number == 45 ? 8 : 3;
	case 46 ... 47:
		return physical && number == 47 ? 8 : 5;
	}
	return -EINVAL;
}

#define snd_pcm_format_width(format) usermm_snd_pcm_bits(format, false)
#define snd_pcm_format_physical_width(format) usermm_snd_pcm_bits(format, true)

static inline ssize_t snd_pcm_format_size(snd_pcm_format_t format, size_t samples)
{
	int bits = snd_pcm_format_physical_width(format);

	return bits < 0 ? bits : (ssize_t)(samples * (size_t)bits / 8);
}

struct snd_pcm;
struct snd_pcm_substream;
struct snd_pcm_runtime;

struct snd_pcm_hardware {
	unsigned int info;
	u64 formats;
	unsigned int rates, rate_min, rate_max, channels_min, channels_max;
	size_t buffer_bytes_max, period_bytes_min, period_bytes_max;
	unsigned int periods_min, periods_max;
	size_t fifo_size;
};

struct snd_pcm_ops {
	int (*open)(struct snd_pcm_substream *substream);
	int (*close)(struct snd_pcm_substream *substream);
	int (*ioctl)(struct snd_pcm_substream *substream, unsigned int command, void *argument);
	int (*hw_params)(struct snd_pcm_substream *substream, struct snd_pcm_hw_params *params);
	int (*hw_free)(struct snd_pcm_substream *substream);
	int (*prepare)(struct snd_pcm_substream *substream);
	int (*trigger)(struct snd_pcm_substream *substream, int command);
	int (*sync_stop)(struct snd_pcm_substream *substream);
	snd_pcm_uframes_t (*pointer)(struct snd_pcm_substream *substream);
	struct page *(*page)(struct snd_pcm_substream *substream, unsigned long offset);
	int (*mmap)(struct snd_pcm_substream *substream, struct vm_area_struct *vma);
	int (*ack)(struct snd_pcm_substream *substream);
};

struct snd_pcm_runtime {
	snd_pcm_access_t access;
	snd_pcm_format_t format;
	unsigned int rate, channels, frame_bits, sample_bits, periods;
	snd_pcm_uframes_t period_size, buffer_size, boundary;
	struct snd_pcm_hardware hw;
	struct snd_pcm_mmap_status *status;
	struct snd_pcm_mmap_control *control;
	void *private_data;
	void (*private_free)(struct snd_pcm_runtime *runtime);
	unsigned char *dma_area;
	dma_addr_t dma_addr;
	size_t dma_bytes;
};

struct snd_pcm_substream {
	struct snd_pcm *pcm;
	void *private_data;
	int number, stream;
	char name[32];
	const struct snd_pcm_ops *ops;
	struct snd_pcm_runtime *runtime;
	struct snd_pcm_substream *next;
};

struct snd_pcm_str {
	int stream;
	unsigned int substream_count;
	struct snd_pcm_substream *substream;
};

struct snd_pcm {
	struct snd_card *card;
	int device;
	unsigned int info_flags;
	unsigned short dev_class;
	char id[64], name[80];
	struct snd_pcm_str streams[2];
	void *private_data;
	void (*private_free)(struct snd_pcm *pcm);
	bool nonatomic;
};

static inline void usermm_snd_pcm_free(void *data)
{
	struct snd_pcm *pcm = data;

	if (pcm->private_free)
		pcm->private_free(pcm);
	kfree(pcm->streams[0].substream);
	kfree(pcm->streams[1].substream);
	kfree(pcm);
}

static inline int usermm_snd_pcm_streams(struct snd_pcm *pcm, int stream, int n)
{
	struct snd_pcm_str *str = &pcm->streams[stream];

	str->stream = stream;
	str->substream_count = (unsigned int)n;
	if (n)
		str->substream = kcalloc((size_t)n, sizeof(*str->substream), GFP_KERNEL);
	if (n && !str->substream)
		return -ENOMEM;
	for (int i = 0; i < n; i++)
		str->substream[i] = (struct snd_pcm_substream){
			.pcm = pcm, .number = i, .stream = stream,
			.next = i + 1 < n ? &str->substream[i + 1] : NULL,
		};
	return 0;
}

/* The new stream belongs to the card. 0 or -ENOMEM. */
static inline int snd_pcm_new(struct snd_card *card, const char *id, int device, int nr_playback,
			      int nr_capture, struct snd_pcm **result)
{
	struct snd_pcm *pcm = kzalloc(sizeof(*pcm), GFP_KERNEL);
	int error;

	if (!pcm)
		return -ENOMEM;
	pcm->card = card;
	pcm->device = device;
	if (id)
		strscpy(pcm->id, id, sizeof(pcm->id));
	error = usermm_snd_pcm_streams(pcm, SNDRV_PCM_STREAM_PLAYBACK, nr_playback);
	if (!error)
		error = usermm_snd_pcm_streams(pcm, SNDRV_PCM_STREAM_CAPTURE, nr_capture);
	if (!error)
		error = usermm_snd_device_new(card, SNDRV_DEV_PCM, pcm, NULL, usermm_snd_pcm_free);
	if (error)
		usermm_snd_pcm_free(pcm);
	else if (result)
		*result = pcm;
	return error;
}

static inline void snd_pcm_set_ops(struct snd_pcm *pcm, int stream,
				   const struct snd_pcm_ops *operations)
{
	for (struct snd_pcm_substream *at = pcm->streams[stream].substream; at; at = at->next)
		at->ops = operations;
}

#define snd_pcm_substream_chip(substream) ((substream)->private_data)
#define snd_pcm_chip(pcm) ((pcm)->private_data)
#define snd_pcm_period_elapsed(substream) ((void)(substream))
#define snd_pcm_lib_ioctl NULL
#define snd_pcm_lib_malloc_pages(substream, n) ((void)(substream), (void)(n), -EINVAL)
#define snd_pcm_lib_free_pages(substream) ((void)(substream), 0)
#define snd_pcm_lib_preallocate_pages_for_all(pcm, type, data, n, max) \
	((void)(pcm), (void)(data), (void)(n), (void)(max))
#define snd_pcm_set_managed_buffer_all(pcm, type, data, n, max) \
	((void)(pcm), (void)(data), (void)(n), (void)(max), 0)
#define snd_pcm_set_managed_buffer(substream, type, data, n, max) \
	((void)(substream), (void)(data), (void)(n), (void)(max), 0)
#define snd_pcm_lib_buffer_bytes(substream) \
	((size_t)(substream)->runtime->buffer_size * (substream)->runtime->frame_bits / 8)
#define snd_pcm_lib_period_bytes(substream) \
	((size_t)(substream)->runtime->period_size * (substream)->runtime->frame_bits / 8)
#define bytes_to_frames(runtime, n) ((snd_pcm_sframes_t)((n) * 8 / (runtime)->frame_bits))
#define frames_to_bytes(runtime, n) ((ssize_t)((n) * (runtime)->frame_bits / 8))
#define snd_pcm_stream_lock(substream) ((void)(substream))
#define snd_pcm_stream_unlock(substream) ((void)(substream))
#define snd_pcm_hw_constraint_integer(runtime, parameter) ((void)(runtime), (void)(parameter), 0)
#define snd_pcm_hw_constraint_minmax(runtime, parameter, least, most) \
	((void)(runtime), (void)(parameter), (void)(least), (void)(most), 0)

#endif
