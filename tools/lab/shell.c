/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wavetank shell: a command, or a shell, in a network namespace of its own behind an emulated path.
 *
 *   command ── wt0 (10.72.N.2) ── emulator: fwd up, rev down ── wtshN (10.72.N.1) ── where we are ── NAT ── the rest
 *
 * It nests: a shell in shell N has 10.73.N.0/30, or the next of these, and so on; shell N has a route to all of them. A user who may not
 * make an interface here gets a namespace of its own as the outside, with nothing beyond it, and a line that says so. Without a TAP device
 * veth pairs and packet sockets take its place. All of it ends with the command.
 */
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "emu/world/world.h"
#include "stack/port/port.h"
#include "stack/text/units.h"
#include "tools/common/cli.h"
#include "tools/common/interfaces.h"
#include "tools/common/ending.h"
#include "tools/lab/outside.h"
#include "tools/lab/space.h"
#include "tools/common/labs.h"

extern const struct wt_command wt_command_shell;

enum { OPT_SEED };

static const struct wt_option options[] = {
	[OPT_SEED] = {0, "seed", "N", "seed of all random draws on the path (default 1)"},
};

enum { NETWORKS = 256, PREFIX = 30, DEPTHS = 8, SIBLINGS = 64 };

struct shell {
	const char *words[2]; /* up, down */
	const char *seed;
	char **command;
	unsigned depth;       /* 0: not in another shell */
	unsigned network;     /* N */
	unsigned sibling;     /* of those in one shell */
	bool alone;           /* the outside is a namespace of our own */
	bool packet;          /* both ends are veth pairs, since there is no TAP */
	bool reached;         /* the rest was changed so that packets go there */
	struct wt_outside out;
	pid_t inside, emulator;
	int talk;             /* to the inside: a byte each way */
};

static struct wt_addr address(const struct shell *shell, uint8_t last)
{
	return wt_addr_ipv4(10, (uint8_t)(WT_OUTSIDE_FIRST + shell->depth), (uint8_t)shell->network, (uint8_t)(4 * shell->sibling + last));
}

/* A network that no shell here has; false: there is none. WAVETANK_SHELL_PLACE is "depth N" of the shell we are in. */
static bool choose_network(struct shell *shell)
{
	const char *place = getenv("WAVETANK_SHELL_PLACE");
	unsigned most, *at;

	if (place && sscanf(place, "%u %u", &shell->depth, &shell->network) == 2)
		shell->depth++;
	if (shell->depth >= DEPTHS || shell->network >= NETWORKS)
		return false;
	at = shell->depth ? &shell->sibling : &shell->network;
	most = shell->depth ? SIBLINGS : NETWORKS;
	for (*at = 0; *at < most; ++*at) {
		snprintf(shell->out.interface, sizeof(shell->out.interface), "wtsh%u", *at);
		if (!if_nametoindex(shell->out.interface))
			return true;
	}
	return false;
}

/* What stands in the shells inside this one lies behind it. */
static int route_nested(const struct shell *shell)
{
	struct wt_addr inside = address(shell, 2);
	int error = 0;

	for (unsigned depth = shell->depth + 1; depth < DEPTHS && !error && !shell->sibling; depth++) {
		struct wt_addr network = wt_addr_ipv4(10, (uint8_t)(WT_OUTSIDE_FIRST + depth), (uint8_t)shell->network, 0);

		error = wt_net_route_to(shell->out.interface, &network, 24, &inside);
	}
	return error;
}

/* ---- signals ---------------------------------------------------------------------------------------------- */

static volatile sig_atomic_t asked_to_end;
static volatile pid_t command; /* 0: not there yet */

/* Some seconds after it was asked to end. */
static void on_alarm(int number)
{
	if (command > 0)
		kill(command, SIGKILL);
}

/* The command ends, then we do. ^C of a terminal is for the command alone; a shell that is a command ignores SIGTERM, but not SIGHUP. */
static void on_signal(int number, siginfo_t *info, void *context)
{
	if (number == SIGINT && info->si_code == SI_KERNEL)
		return;
	asked_to_end = number;
	if (command > 0) {
		kill(command, SIGTERM);
		kill(command, SIGHUP);
		alarm(2);
	}
}

static void listen_to_signals(void)
{
	struct sigaction act = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};

	sigaction(SIGINT, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
	if (!wt_hangup_ignored())
		sigaction(SIGHUP, &act, NULL);
	signal(SIGALRM, on_alarm);
	signal(SIGQUIT, SIG_IGN);
}

/* ---- the inside ------------------------------------------------------------------------------------------- */

static _Noreturn void be_inside(const struct shell *shell, int talk, pid_t parent)
{
	struct wt_addr own = address(shell, 2), gateway = address(shell, 1);
	char byte = 0, place[32];

	prctl(PR_SET_PDEATHSIG, SIGHUP);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	if (!wt_hangup_ignored())
		signal(SIGHUP, SIG_DFL);
	if (asked_to_end || getppid() != parent || unshare(CLONE_NEWNET) < 0)
		_exit(wt_fail(WT_EXIT_ENVIRONMENT, "no network namespace here: %s; wavetank doctor says why", strerror(errno)));
	if (write(talk, &byte, 1) != 1 || read(talk, &byte, 1) != 1)
		_exit(WT_EXIT_ENVIRONMENT);
	wt_net_up("lo");
	if (shell->packet)
		wt_offloads_off(WT_LAB_INTERFACE);
	if (wt_net_queue_length(WT_LAB_INTERFACE, 10000) || wt_net_address(WT_LAB_INTERFACE, &own, PREFIX) || wt_net_up(WT_LAB_INTERFACE) ||
	    wt_net_gateway(WT_LAB_INTERFACE, &gateway))
		_exit(wt_fail(WT_EXIT_ENVIRONMENT, "cannot configure %s", WT_LAB_INTERFACE));
	wt_net_wait_running(WT_LAB_INTERFACE);
	snprintf(place, sizeof(place), "%u %u", shell->depth, shell->network);
	setenv("WAVETANK_SHELL", shell->words[0], 1);
	setenv("WAVETANK_SHELL_PLACE", place, 1);
	execvp(shell->command[0], shell->command);
	wt_fail(WT_EXIT_ENVIRONMENT, "cannot run '%s': %s", shell->command[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

static int start_inside(struct shell *shell)
{
	pid_t parent = getpid();
	int pair[2];
	char byte;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return wt_fail(WT_EXIT_ENVIRONMENT, "socketpair: %s", strerror(errno));
	shell->inside = fork();
	if (shell->inside == 0) {
		close(pair[0]);
		be_inside(shell, pair[1], parent);
	}
	close(pair[1]);
	command = shell->inside;
	shell->talk = pair[0];
	if (shell->inside < 0)
		return wt_fail(WT_EXIT_ENVIRONMENT, "fork: %s", strerror(errno));
	if (asked_to_end) /* it may have come while the command was not known */
		return 128 + asked_to_end;
	return read(shell->talk, &byte, 1) == 1 ? WT_EXIT_OK : WT_EXIT_ENVIRONMENT; /* it has said why */
}

/* ---- the emulator ----------------------------------------------------------------------------------------- */

/*
 * The emulator's ends of veth pairs, where there is no TAP device: in a network namespace of the emulator's own, so that both pairs go with it.
 * Both far ends are where its TAP devices would be.
 */
static const char near_inside[] = "wtin", near_outside[] = "wtout";

static void make_veths(const struct shell *shell, pid_t parent)
{
	int error = unshare(CLONE_NEWNET) ? -errno : 0;

	wt_net_sysctl("ipv6/conf/all/disable_ipv6", "1");
	wt_net_sysctl("ipv6/conf/default/disable_ipv6", "1");
	if (!error)
		error = wt_net_veth(near_inside, WT_LAB_INTERFACE, shell->inside);
	if (!error)
		error = wt_net_veth(near_outside, shell->out.interface, parent);
	if (error)
		_exit(wt_fail(WT_EXIT_ENVIRONMENT, "cannot make a veth pair: %s", strerror(-error)));
	wt_offloads_off(near_inside);
	wt_offloads_off(near_outside);
	wt_net_up(near_inside);
	wt_net_up(near_outside);
}

/* May a pair lead from here into a namespace of our own? */
static bool may_make_veths(void)
{
	pid_t parent = getpid(), child = fork();
	int status;

	if (child == 0)
		_exit(unshare(CLONE_NEWNET) || wt_net_veth(near_inside, "wtprobe", parent));
	return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static _Noreturn void be_emulator(const struct shell *shell, int ready, pid_t parent)
{
	char in[64], out[IFNAMSIZ + 8], fd[12];
	int nowhere = open("/dev/null", O_WRONLY);
	const char *const words[] = {"wavetank", "emu", "run", "--quiet", "--fwd", shell->words[0], "--rev", shell->words[1], "--seed", shell->seed,
				     "--port", in, "--port", out, "--ready-fd", fd, NULL};

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	setsid(); /* ^C is for the command */
	if (shell->packet) {
		make_veths(shell, parent);
		snprintf(in, sizeof(in), "packet:%s", near_inside);
		snprintf(out, sizeof(out), "packet:%s", near_outside);
	} else {
		snprintf(in, sizeof(in), "tap:" WT_LAB_INTERFACE "@/proc/%d/ns/net", (int)shell->inside);
		snprintf(out, sizeof(out), "tap:%s", shell->out.interface);
	}
	snprintf(fd, sizeof(fd), "%d", ready);
	dup2(nowhere, STDOUT_FILENO);
	execv("/proc/self/exe", (char *const *)(uintptr_t)words);
	_exit(WT_EXIT_ENVIRONMENT);
}

static int start_emulator(struct shell *shell)
{
	pid_t parent = getpid();
	int ready[2];
	char byte;
	ssize_t got;

	if (pipe(ready) < 0 || fcntl(ready[0], F_SETFD, FD_CLOEXEC) < 0)
		return wt_fail(WT_EXIT_ENVIRONMENT, "pipe: %s", strerror(errno));
	shell->emulator = fork();
	if (shell->emulator == 0)
		be_emulator(shell, ready[1], parent);
	close(ready[1]);
	got = read(ready[0], &byte, 1);
	close(ready[0]);
	return shell->emulator > 0 && got == 1 ? WT_EXIT_OK : wt_fail(WT_EXIT_ENVIRONMENT, "the emulator did not start");
}

/* ---- the outside ------------------------------------------------------------------------------------------ */

/* What lies beyond this machine, or why nothing does. */
static void reach_out(struct shell *shell)
{
	char text[WT_ADDR_TEXT];
	struct wt_addr gateway = address(shell, 1);

	wt_addr_format(&gateway, text);
	if (shell->alone) {
		wt_say("no permission to make an interface on this machine: commands reach %s, in a namespace of its own, and nothing beyond it", text);
		return;
	}
	shell->reached = true;
	shell->out.masquerade = !shell->depth; /* the outermost has a way back to those inside, and masquerades for all of us if it can */
	shell->out.network = shell->network;
	wt_outside_open(&shell->out);
	if (!shell->depth && !shell->out.masquerade)
		wt_say("commands reach this machine at %s and nothing beyond it: neither nft nor iptables can masquerade here", text);
}

static int open_outside(struct shell *shell)
{
	struct wt_addr gateway = address(shell, 1);
	char byte = 0;

	if (shell->packet)
		wt_offloads_off(shell->out.interface);
	if (wt_net_queue_length(shell->out.interface, 10000) || wt_net_address(shell->out.interface, &gateway, PREFIX) || wt_net_up(shell->out.interface) ||
	    route_nested(shell))
		return wt_fail(WT_EXIT_ENVIRONMENT, "cannot configure %s", shell->out.interface);
	wt_net_wait_running(shell->out.interface);
	reach_out(shell);
	return write(shell->talk, &byte, 1) == 1 ? WT_EXIT_OK : WT_EXIT_ENVIRONMENT;
}

/* ---- the end ---------------------------------------------------------------------------------------------- */

static int wait_for(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return WT_EXIT_INTERNAL;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int end(struct shell *shell, int code)
{
	close(shell->talk); /* an inside that still waits for its byte ends */
	if (shell->inside > 0)
		code = code ? (wait_for(shell->inside), code) : wait_for(shell->inside);
	if (shell->emulator > 0) {
		kill(shell->emulator, SIGTERM);
		wait_for(shell->emulator);
	}
	alarm(0);
	if (shell->reached)
		wt_outside_close(&shell->out);
	return asked_to_end ? 128 + asked_to_end : code;
}

static int read_line(struct shell *shell, int argc, char **argv)
{
	static char shell_path[4096], *own[2] = {shell_path};
	struct wt_world world;
	struct wt_args args;
	char err[700];
	uint64_t seed;
	int option, error;

	wt_args_init(&args, &wt_command_shell, argc, argv);
	while ((option = wt_args_next(&args)) != WT_ARGS_END) {
		if (option == WT_ARGS_BAD)
			return WT_EXIT_USAGE;
		if (option == OPT_SEED) {
			if (wt_parse_count(args.value, &seed, err, sizeof(err)))
				return wt_fail(WT_EXIT_USAGE, "--seed: %s", err);
			shell->seed = args.value;
		} else if (args.words_only) {
			shell->command = args.argv + args.at - 1;
			break;
		} else if (shell->words[1]) {
			return wt_fail(WT_EXIT_USAGE, "unexpected argument '%s': a command must follow --", args.value);
		} else {
			shell->words[shell->words[0] ? 1 : 0] = args.value;
		}
	}
	if (!shell->words[0])
		return wt_fail(WT_EXIT_USAGE, "a path is missing: wavetank shell 'delay 15ms rate 10Mbit burst 20KB limit 64KB' [-- COMMAND]");
	if (shell->words[1] && !strpbrk(shell->words[1], " \t") && *shell->words[1]) /* no stage is one word */
		return wt_fail(WT_EXIT_USAGE, "'%s' is not a path back; a command must follow --: wavetank shell '%s' -- %s", shell->words[1], shell->words[0],
			       shell->words[1]);
	shell->words[1] = shell->words[1] ? shell->words[1] : shell->words[0];
	snprintf(shell_path, sizeof(shell_path), "%s", getenv("SHELL") && *getenv("SHELL") ? getenv("SHELL") : "/bin/sh");
	shell->command = shell->command ? shell->command : own;
	wt_world_init(&world);
	snprintf(err, sizeof(err), "no memory");
	error = wt_world_pair(&world, shell->words[0], shell->words[1]) || wt_world_check(&world, err, sizeof(err));
	wt_world_finish(&world);
	return error ? wt_fail(WT_EXIT_USAGE, "%s", err) : WT_EXIT_OK;
}

static int run_main(int argc, char **argv)
{
	struct shell shell = {.seed = "1", .talk = -1};
	int code = read_line(&shell, argc, argv), error;
	bool rootless;

	if (code)
		return code;
	shell.alone = geteuid() != 0 || (wt_space_probe_tap() && !may_make_veths());
	error = shell.alone ? wt_space_unshare(CLONE_NEWNET, &rootless) : 0;
	if (error)
		return wt_fail(WT_EXIT_ENVIRONMENT, "no namespaces here: %s; wavetank doctor says why", strerror(-error));
	error = wt_space_probe_tap();
	shell.packet = error && !wt_space_probe_packet();
	if (error && !shell.packet)
		return wt_fail(WT_EXIT_ENVIRONMENT, "no TAP device here: /dev/net/tun: %s; wavetank doctor says how to open it", strerror(-error));
	if (shell.alone)
		wt_net_up("lo");
	if (!choose_network(&shell))
		return wt_fail(WT_EXIT_ENVIRONMENT, "too many shells: at most %d side by side and %d inside each other", NETWORKS, DEPTHS);
	listen_to_signals();
	code = start_inside(&shell);
	if (!code)
		code = start_emulator(&shell);
	if (!code)
		code = open_outside(&shell);
	return end(&shell, code);
}

const struct wt_command wt_command_shell = {
	.name = "shell",
	.arguments = "WORDS [WORDS-BACK] [-- COMMAND [ARGUMENTS]]",
	.text = "open a shell or run a command behind an emulated path",
	.options = options,
	.option_count = sizeof(options) / sizeof(options[0]),
	.run = run_main,
	.notes = "Words of a path as in wavetank-link(7), up and down alike or each its own. Shells nest. The exit code is the command's.\n\n"
		 "  wavetank shell 'delay 15ms rate 10Mbit burst 20KB limit 64KB' -- curl http://10.72.0.1:8000/file\n"
		 "  wavetank shell 'delay 40ms' -- wavetank shell 'loss 1%'",
};
