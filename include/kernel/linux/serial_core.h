/* SPDX-License-Identifier: MIT */
/* Serial ports. A driver and its ports are registered; no program opens them. */
#ifndef LINUX_SERIAL_CORE_H
#define LINUX_SERIAL_CORE_H

#include <linux/bitops.h>
#include <linux/circ_buf.h>
#include <linux/console.h>
#include <linux/device.h>
#include <linux/errno.h>
#include <linux/interrupt.h>
#include <linux/kfifo.h>
#include <linux/mutex.h>
#include <linux/serial.h>
#include <linux/spinlock.h>
#include <linux/sysrq.h>
#include <linux/tty.h>
#include <linux/tty_flip.h>
#include <linux/types.h>
#include_next <linux/serial_core.h>

struct serial_struct;
struct uart_port;

#define UART_XMIT_SIZE PAGE_SIZE
#define UART_CONFIG_TYPE BIT(0)
#define UART_CONFIG_IRQ BIT(1)
#define WAKEUP_CHARS 256

struct uart_ops {
	unsigned int (*tx_empty)(struct uart_port *port);
	void (*set_mctrl)(struct uart_port *port, unsigned int lines);
	unsigned int (*get_mctrl)(struct uart_port *port);
	void (*stop_tx)(struct uart_port *port);
	void (*start_tx)(struct uart_port *port);
	void (*throttle)(struct uart_port *port);
	void (*unthrottle)(struct uart_port *port);
	void (*send_xchar)(struct uart_port *port, char c);
	void (*stop_rx)(struct uart_port *port);
	void (*start_rx)(struct uart_port *port);
	void (*enable_ms)(struct uart_port *port);
	void (*break_ctl)(struct uart_port *port, int on);
	int (*startup)(struct uart_port *port);
	void (*shutdown)(struct uart_port *port);
	void (*flush_buffer)(struct uart_port *port);
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 1, 0)
	void (*set_termios)(struct uart_port *port, struct ktermios *wanted,
			    const struct ktermios *old);
#else
	void (*set_termios)(struct uart_port *port, struct ktermios *wanted,
			    struct ktermios *old);
#endif
	void (*set_ldisc)(struct uart_port *port, struct ktermios *termios);
	void (*pm)(struct uart_port *port, unsigned int state, unsigned int old);
	const char *(*type)(struct uart_port *port);
	void (*release_port)(struct uart_port *port);
	int (*request_port)(struct uart_port *port);
	void (*config_port)(struct uart_port *port, int flags);
	int (*verify_port)(struct uart_port *port, struct serial_struct *serial);
	int (*ioctl)(struct uart_port *port, unsigned int command, unsigned long argument);
};

struct uart_icount {
	__u32 cts, dsr, rng, dcd, rx, tx, frame, overrun, parity, brk, buf_overrun;
};

struct uart_state {
	struct tty_port port;
	struct circ_buf xmit;
	struct uart_port *uart_port;
};

struct uart_port {
	spinlock_t lock;
	unsigned long iobase;
	unsigned char __iomem *membase;
	unsigned int irq;
	unsigned long irqflags;
	unsigned int uartclk, fifosize, custom_divisor;
	unsigned char x_char, regshift, iotype;
	unsigned int read_status_mask, ignore_status_mask;
	struct uart_state *state;
	struct uart_icount icount;
	struct console *cons;
	unsigned int mctrl, timeout, type, line, minor;
	unsigned long flags, status;
	const struct uart_ops *ops;
	resource_size_t mapbase, mapsize;
	struct device *dev;
	const char *name;
	void *private_data;
};

#define UPIO_PORT 0
#define UPIO_MEM 2
#define UPIO_MEM32 3
#define UPF_FOURPORT BIT(1)
#define UPF_SKIP_TEST BIT(6)
#define UPF_LOW_LATENCY BIT(13)
#define UPF_BOOT_AUTOCONF BIT(28)
#define UPF_FIXED_TYPE BIT(27)
#define UPF_IOREMAP BIT(31)

struct uart_driver {
	struct module *owner;
	const char *driver_name, *dev_name;
	int major, minor, nr;
	struct console *cons;
	struct uart_state *state;
	struct tty_driver *tty_driver;
};

/* 0 or -EINVAL without ports. */
static inline int uart_register_driver(struct uart_driver *driver)
{
	if (driver->nr <= 0)
		return -EINVAL;
	driver->state = kcalloc((size_t)driver->nr, sizeof(*driver->state), GFP_KERNEL);
	return driver->state ? 0 : -ENOMEM;
}

static inline void uart_unregister_driver(struct uart_driver *driver)
{
	kfree(driver->state);
	driver->state = NULL;
}

/* 0; -EINVAL for a line that the driver does not have, or that has a port. */
static inline int uart_add_one_port(struct uart_driver *driver, struct uart_port *port)
{
	if (port->line >= (unsigned int)driver->nr || driver->state[port->line].uart_port)
		return -EINVAL;
	spin_lock_init(&port->lock);
	port->state = &driver->state[port->line];
	port->state->uart_port = port;
	if (port->flags & UPF_BOOT_AUTOCONF && port->ops->config_port)
		port->ops->config_port(port, UART_CONFIG_TYPE);
	return 0;
}

static inline int usermm_uart_remove(struct uart_driver *driver, struct uart_port *port)
{
	if (port->ops->release_port && port->type)
		port->ops->release_port(port);
	driver->state[port->line].uart_port = NULL;
	return 0;
}

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 6, 0)
#define uart_remove_one_port(driver, port) ((void)usermm_uart_remove(driver, port))
#else
#define uart_remove_one_port(driver, port) usermm_uart_remove(driver, port)
#endif
#define uart_suspend_port(driver, port) ((void)(driver), (void)(port), 0)
#define uart_resume_port(driver, port) ((void)(driver), (void)(port), 0)
#define uart_write_wakeup(port) ((void)(port))
#define uart_circ_empty(circ) ((circ)->head == (circ)->tail)
#define uart_circ_clear(circ) ((void)((circ)->head = (circ)->tail = 0))
#define uart_circ_chars_pending(circ) CIRC_CNT((circ)->head, (circ)->tail, UART_XMIT_SIZE)
#define uart_tx_stopped(port) ((void)(port), 0)

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 10, 0)
#define usermm_uart_pending(uart) kfifo_len(&(uart)->state->port.xmit_fifo)
#define uart_fifo_get(uart, byte)						\
	({									\
		unsigned int got_ = kfifo_get(&(uart)->state->port.xmit_fifo, byte); \
										\
		(uart)->icount.tx += got_;					\
		got_;								\
	})
#define uart_fifo_out(uart, buffer, n)						\
	({									\
		unsigned int got_ = kfifo_out(&(uart)->state->port.xmit_fifo, buffer, n); \
										\
		(uart)->icount.tx += got_;					\
		got_;								\
	})
#else
#define usermm_uart_pending(port) uart_circ_chars_pending(&(port)->state->xmit)
static inline unsigned int uart_fifo_get(struct uart_port *port, u8 *byte)
{
	struct circ_buf *circ = &port->state->xmit;

	if (uart_circ_empty(circ))
		return 0;
	*byte = (u8)circ->buf[circ->tail];
	circ->tail = (circ->tail + 1) & (UART_XMIT_SIZE - 1);
	port->icount.tx++;
	return 1;
}
#endif

/*
 * Sends waiting bytes, the urgent one first, while `ready` is true, at most n of them. For each one
 * `byte` is set and the statement `put` runs. The value is the number of bytes that still wait; if
 * it is 0, stop_tx() is called.
 */
#define uart_port_tx_limited(port, byte, n, ready, put, done)			\
	({									\
		struct uart_port *port_ = (port);				\
		unsigned int left_;						\
										\
		for (left_ = (n); left_ && (ready); left_--) {			\
			if (port_->x_char) {					\
				(byte) = port_->x_char;				\
				port_->x_char = 0;				\
				port_->icount.tx++;				\
			} else if (uart_tx_stopped(port_) ||			\
				   !uart_fifo_get(port_, &(byte))) {		\
				break;						\
			}							\
			put;							\
		}								\
		done;								\
		left_ = usermm_uart_pending(port_);				\
		if (!left_)							\
			port_->ops->stop_tx(port_);				\
		left_;								\
	})
#define uart_port_tx(port, byte, ready, put) \
	uart_port_tx_limited(port, byte, ~0U, ready, put, ({}))
#define uart_port_lock(port) spin_lock(&(port)->lock)
#define uart_port_unlock(port) spin_unlock(&(port)->lock)
#define uart_port_lock_irq(port) spin_lock_irq(&(port)->lock)
#define uart_port_unlock_irq(port) spin_unlock_irq(&(port)->lock)
#define uart_port_lock_irqsave(port, flags) spin_lock_irqsave(&(port)->lock, *(flags))
#define uart_port_unlock_irqrestore(port, flags) spin_unlock_irqrestore(&(port)->lock, flags)
#define uart_handle_sysrq_char(port, c) ((void)(port), (void)(c), 0)
#define uart_handle_break(port) ((void)(port), 0)

/* 9600, as a terminal that nobody set. */
static inline unsigned int uart_get_baud_rate(struct uart_port *port, struct ktermios *termios,
					      const struct ktermios *old, unsigned int least,
					      unsigned int most)
{
	(void)port;
	(void)termios;
	(void)old;
	return clamp(9600U, least, most);
}

static inline unsigned int uart_get_divisor(struct uart_port *port, unsigned int baud)
{
	return baud ? DIV_ROUND_CLOSEST(port->uartclk, 16 * baud) : 0;
}

static inline void uart_update_timeout(struct uart_port *port, unsigned int flags,
				       unsigned int baud)
{
	(void)flags;
	port->timeout = baud ? port->fifosize * 10 * HZ / baud + HZ / 50 : 0;
}

static inline void uart_insert_char(struct uart_port *port, unsigned int status,
				    unsigned int overrun, unsigned int c, unsigned int flag)
{
	if (!(status & port->ignore_status_mask & ~overrun))
		(void)tty_insert_flip_char(&port->state->port, (u8)c, (u8)flag);
	if (status & ~port->ignore_status_mask & overrun)
		(void)tty_insert_flip_char(&port->state->port, 0, TTY_OVERRUN);
}

#endif
