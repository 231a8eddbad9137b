// SPDX-License-Identifier: MIT
/* Packets' memory and sums: see linux/skbuff.h; cf. Linux net/core/skbuff.c. */
#include <linux/kernel.h>
#include <linux/skbuff.h>
#include <net/checksum.h>
#include <net/dst.h>

/* Room for size bytes, and the shared structure behind them, which is cleared. */
static unsigned char *alloc_room(unsigned int size, gfp_t gfp)
{
	unsigned char *head = kmalloc(size + SKB_DATA_ALIGN(sizeof(struct skb_shared_info)), gfp);

	if (head)
		memset(head + size, 0, sizeof(struct skb_shared_info));
	return head;
}

struct sk_buff *usermm_alloc_skb(unsigned int size, gfp_t gfp)
{
	struct sk_buff *skb = kzalloc(sizeof(*skb), gfp);

	if (!skb)
		return NULL;
	skb->end = SKB_DATA_ALIGN(size);
	skb->head = skb->data = alloc_room(skb->end, gfp);
	if (!skb->head) {
		kfree(skb);
		return NULL;
	}
	skb->truesize = SKB_TRUESIZE(size);
	skb->mac_header = skb->transport_header = (__u16)~0U;
	refcount_set(&skb->users, 1);
	return skb;
}

void kfree_skb(struct sk_buff *skb)
{
	if (!skb || !refcount_dec_and_test(&skb->users))
		return;
	skb_dst_drop(skb);
	kfree(skb->head);
	kfree(skb);
}

/* A header that was not set stays so. */
static void move_header(__u16 *header, int by)
{
	if (*header != (__u16)~0U)
		*header = (__u16)(*header + by);
}

/* The data go into other memory with this much room; the old memory stays the caller's. */
static int move_data(struct sk_buff *skb, unsigned int headroom, unsigned int tailroom, gfp_t gfp)
{
	unsigned int used = skb->tail - skb_headroom(skb), moves = skb_headroom(skb);
	unsigned int end = SKB_DATA_ALIGN(headroom + used + tailroom);
	unsigned int kept = min(headroom, moves);
	unsigned char *head = alloc_room(end, gfp);
	int by = (int)headroom - (int)moves;

	if (!head)
		return -ENOMEM;
	/* With the headers in front of the data, as far as there is room. */
	memcpy(head + headroom - kept, skb->data - kept, kept + used);
	memcpy(head + end, skb_shinfo(skb), sizeof(struct skb_shared_info));
	skb->truesize += end - skb->end;
	skb->head = head;
	skb->end = end;
	skb->data = head + headroom;
	skb->tail = headroom + used;
	move_header(&skb->mac_header, by);
	move_header(&skb->transport_header, by);
	skb->network_header = (__u16)(skb->network_header + by);
	if (skb->ip_summed == CHECKSUM_PARTIAL)
		skb->csum_start = (__u16)(skb->csum_start + by);
	return 0;
}

struct sk_buff *skb_copy_expand(const struct sk_buff *skb, int headroom, int tailroom, gfp_t gfp)
{
	struct sk_buff *copy = kmemdup(skb, sizeof(*skb), gfp);

	if (!copy)
		return NULL;
	if (move_data(copy, (unsigned int)headroom, (unsigned int)tailroom, gfp)) {
		kfree(copy);
		return NULL;
	}
	copy->next = copy->prev = NULL;
	copy->sk = NULL;
	refcount_set(&copy->users, 1);
	if (skb_dst(copy))
		dst_hold(skb_dst(copy));
	return copy;
}

int pskb_expand_head(struct sk_buff *skb, int headroom, int tailroom, gfp_t gfp)
{
	unsigned char *old = skb->head;
	int error;

	BUG_ON(headroom < 0 || tailroom < 0 || skb_shared(skb));
	error = move_data(skb, skb_headroom(skb) + (unsigned int)headroom,
			  skb_tailroom(skb) + (unsigned int)tailroom, gfp);
	if (!error)
		kfree(old);
	return error;
}

int skb_checksum_help(struct sk_buff *skb)
{
	int start = skb->csum_start - (int)skb_headroom(skb);
	int place = start + skb->csum_offset;
	__sum16 sum;

	if (skb->ip_summed == CHECKSUM_PARTIAL) {
		if (WARN_ON_ONCE(start < 0 || place + (int)sizeof(sum) > (int)skb->len))
			return -EINVAL;
		sum = csum_fold(skb_checksum(skb, start, (int)skb->len - start, 0));
		sum = sum ? sum : CSUM_MANGLED_0;
		(void)skb_store_bits(skb, place, &sum, sizeof(sum));
	}
	skb->ip_summed = CHECKSUM_NONE;
	return 0;
}

void inet_proto_csum_replace4(__sum16 *sum, struct sk_buff *skb, __be32 from, __be32 to,
			      bool pseudohdr)
{
	if (skb->ip_summed != CHECKSUM_PARTIAL) {
		csum_replace4(sum, from, to);
		if (skb->ip_summed == CHECKSUM_COMPLETE && pseudohdr)
			skb->csum = ~csum_add(csum_sub(~skb->csum, (__wsum)from), (__wsum)to);
	} else if (pseudohdr) {
		/* The place has the sum of the pseudo header, which is not inverted. */
		*sum = (__sum16)~csum_fold(csum_add(csum_sub(csum_unfold(*sum), (__wsum)from),
						    (__wsum)to));
	}
}
