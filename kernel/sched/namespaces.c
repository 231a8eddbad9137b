// SPDX-License-Identifier: MIT
/*
 * What tasks share: the one namespace of each kind, a table of open files, a folder. The numbers of
 * the namespaces are Linux's for the first ones.
 */
#include <sys/utsname.h>

#include <linux/cgroup.h>
#include <linux/cred.h>
#include <linux/fdtable.h>
#include <linux/init_task.h>
#include <linux/mnt_namespace.h>
#include <linux/nsproxy.h>
#include <linux/pid_namespace.h>
#include <linux/time_namespace.h>
#include <linux/utsname.h>
#include <net/net_namespace.h>

#define ONE_NAMESPACE(number) { .inum = (number), .count = REFCOUNT_INIT(1) }

struct mnt_namespace {
	struct ns_common ns;
	struct user_namespace *user_ns;
};
struct ipc_namespace {
	struct ns_common ns;
	struct user_namespace *user_ns;
};
struct cgroup_namespace {
	struct ns_common ns;
	struct user_namespace *user_ns;
};

rwlock_t dev_base_lock __asm__("usermm_dev_base_lock");
struct net init_net = {
	.list = LIST_HEAD_INIT(init_net.list), .ns = { .inum = 0xf0000079 },
	.user_ns = &init_user_ns,
};
/* Its number is Linux's for the first one. */
struct pid_namespace init_pid_ns = { .ns = { .inum = 0xeffffffc, .count = REFCOUNT_INIT(2) } };
struct time_namespace init_time_ns = {
	.user_ns = &init_user_ns, .ns = ONE_NAMESPACE(0xeffffffa), .frozen_offsets = true,
};
static struct uts_namespace uts = { .user_ns = &init_user_ns, .ns = ONE_NAMESPACE(0xeffffffe) };
static struct ipc_namespace ipc = { .user_ns = &init_user_ns, .ns = ONE_NAMESPACE(0xefffffff) };
static struct mnt_namespace mounts = { .user_ns = &init_user_ns, .ns = ONE_NAMESPACE(0xf0000000) };
static struct cgroup_namespace cgroups = {
	.user_ns = &init_user_ns, .ns = ONE_NAMESPACE(0xeffffffb),
};
struct nsproxy init_nsproxy = {
	.count = REFCOUNT_INIT(1), .uts_ns = &uts, .ipc_ns = &ipc, .mnt_ns = &mounts,
	.pid_ns_for_children = &init_pid_ns, .net_ns = &init_net, .cgroup_ns = &cgroups,
	.time_ns = &init_time_ns, .time_ns_for_children = &init_time_ns,
};

struct css_set init_css_set = {
	.refcount = REFCOUNT_INIT(1), .tasks = LIST_HEAD_INIT(init_css_set.tasks),
	.mg_tasks = LIST_HEAD_INIT(init_css_set.mg_tasks),
	.dying_tasks = LIST_HEAD_INIT(init_css_set.dying_tasks),
};

struct files_struct init_files = {
	.count = ATOMIC_INIT(1), .fdt = &init_files.fdtab,
	.fdtab = {
		.max_fds = NR_OPEN_DEFAULT, .fd = init_files.fd_array,
		.close_on_exec = init_files.close_on_exec_init,
		.open_fds = init_files.open_fds_init,
	},
};

struct uts_namespace *usermm_uts(const char *release)
{
	struct utsname name;

	if (!uts.name.sysname[0] && !uname(&name)) {
		strscpy(uts.name.nodename, name.nodename, sizeof(uts.name.nodename));
		strscpy(uts.name.version, name.version, sizeof(uts.name.version));
		strscpy(uts.name.machine, name.machine, sizeof(uts.name.machine));
		strscpy(uts.name.release, UTS_RELEASE, sizeof(uts.name.release));
		strscpy(uts.name.domainname, "(none)", sizeof(uts.name.domainname));
		strscpy(uts.name.sysname, "Linux", sizeof(uts.name.sysname));
	}
	if (release)
		strscpy(uts.name.release, release, sizeof(uts.name.release));
	return &uts;
}
