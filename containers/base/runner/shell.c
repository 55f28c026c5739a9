// A bash session: commands are evaluated one by one in one shell, whose folder, variables and jobs last.
//
// The shell reports the end of each on a descriptor that its children do not get, with a nonce that it gets along with it.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "command.h"
#include "keeper.h"
#include "paths.h"
#include "purge.h"
#include "stream.h"
#include "tree.h"

enum { MAX_PATH = 4096, MAX_REPORT = MAX_PATH + 64, RETURN_GRACE_MS = 500, KILL_EVERY_MS = 20, KILL_PATIENCE_MS = 10000 };
enum { SLOT_CHANNEL = 0, SLOT_SIGNALS, SLOT_OUTPUT, SLOT_REPORT, NUM_SLOTS };

// The outer loop is there for commands that say `break`. Descriptors 198 and 199 are closed for the command and restored
// after it; the redirections to /dev/null hide the driver from `set -x`.
static const char driver[] =
    "__agentgym_last() { return \"$1\"; }\n"
    "while :; do\n"
    "while {\n"
    "__agentgym_status=$?\n"
    "[[ -z $__agentgym_nonce ]] ||"
    " builtin printf '%s %s %s\\0' \"$__agentgym_nonce\" \"$__agentgym_status\" \"$PWD\" >&199\n"
    "IFS=' ' builtin read -r -u 198 -d ' ' __agentgym_nonce && IFS= builtin read -r -u 198 -d '' __agentgym_command"
    " || builtin exit\n"
    "} 2>/dev/null; do\n"
    "{ [[ $- == *e* ]] || __agentgym_last \"$__agentgym_status\"; } 2>/dev/null\n"
    "builtin eval \"$__agentgym_command\" 198<&- 199>&-\n"
    "done\n"
    "done\n";

struct shell {
    struct keeper *keeper;
    struct command command; // how a fresh shell is started, but for its folder
    char cwd[MAX_PATH];
    pid_t pid; // 0 where there is none
    bool is_offered; // to the kernel, to be killed when memory is short
    struct refusal refusal;
    int commands;
    int reports;
    struct stream output;
    struct outbox *outbox;
};

// One command in it.
struct turn {
    uint64_t nonce;
    int64_t started_us;
    int64_t deadline_us;
    int64_t kill_us; // next moment to kill, once the time is over
    int64_t give_up_us;
    struct processes before;
    char report[MAX_REPORT];
    size_t reported;
    int32_t status; // -1 while unknown
    uint32_t outcome;
    bool is_over;
    bool has_host;
};

static struct outbox shell_outbox;

static void shell_drop(struct shell *shell) {
    descriptor_close(&shell->commands);
    descriptor_close(&shell->reports);
    descriptor_close(&shell->output.fd);
    shell->pid = 0;
}

// The folder that the last shell was in may be gone.
static void cwd_check(struct shell *shell) {
    int folder = folder_open(shell->command.work_dir, shell->cwd, false);
    if (folder < 0) {
        shell->cwd[0] = 0;
    } else {
        close(folder);
    }
}

static bool shell_start(struct shell *shell) {
    static const char *arguments[] = {"bash", "--noprofile", "--norc", "-c", driver, "bash", NULL};
    int commands[2];
    int reports[2];
    int output[2];
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    cwd_check(shell);
    bool is_made = pipe_make(commands, 1);
    is_made = pipe_make(reports, 0) && is_made;
    is_made = pipe_make(output, 0) && is_made && null >= 0;
    if (is_made) {
        struct command command = shell->command;
        command.arguments = arguments;
        command.cwd = shell->cwd;
        int streams[3] = {null, output[1], output[1]};
        int extra[2] = {commands[0], reports[1]};
        shell->pid = command_start(&command, streams, extra, &shell->refusal);
        shell->is_offered = false;
        is_made = shell->pid > 0;
    }
    int error = errno;
    descriptor_close(&null);
    descriptor_close(&commands[0]);
    descriptor_close(&reports[1]);
    descriptor_close(&output[1]);
    shell->commands = commands[1];
    shell->reports = reports[0];
    shell->output.fd = output[0];
    if (!is_made) {
        shell_drop(shell);
    }
    errno = error;
    return is_made;
}

// Takes in what ended; true where the shell itself did.
static bool shell_reap(struct shell *shell) {
    struct signalfd_siginfo told;
    while (read(shell->keeper->signals, &told, sizeof told) > 0) {
    }
    bool has_ended = false;
    for (pid_t pid = waitpid(-1, NULL, WNOHANG); pid > 0; pid = waitpid(-1, NULL, WNOHANG)) {
        has_ended = has_ended || pid == shell->pid;
    }
    return has_ended;
}

static bool command_send(struct shell *shell, const struct turn *turn, const char *text, size_t length) {
    char head[32];
    int head_length = snprintf(head, sizeof head, "%016llx ", (unsigned long long)turn->nonce);
    const char *pieces[2] = {head, text};
    size_t lengths[2] = {(size_t)head_length, length + 1};
    for (int at = 0; at < 2; at++) {
        while (lengths[at] > 0) {
            ssize_t sent = write(shell->commands, pieces[at], lengths[at]);
            if (sent < 0 && errno == EAGAIN) {
                // A shell that was stopped would never read: its time limit has not begun, so this one holds.
                if (poll(&(struct pollfd){.fd = shell->commands, .events = POLLOUT}, 1, RETURN_GRACE_MS) <= 0) {
                    return false;
                }
            } else if (sent < 0) {
                return false;
            } else {
                pieces[at] += sent;
                lengths[at] -= (size_t)sent;
            }
        }
    }
    return true;
}

// "NONCE STATUS FOLDER" and a NUL. Anything else on that descriptor was written by somebody else and is passed over.
static void report_read(struct shell *shell, struct turn *turn) {
    ssize_t got = read(shell->reports, turn->report + turn->reported, sizeof turn->report - turn->reported);
    if (got <= 0) {
        if (got == 0) {
            descriptor_close(&shell->reports);
        }
        return;
    }
    turn->reported += (size_t)got;
    char *end = memchr(turn->report, 0, turn->reported);
    if (end == NULL) {
        turn->reported = turn->reported == sizeof turn->report ? 0 : turn->reported;
        return;
    }
    unsigned long long nonce = 0;
    int status = 0;
    int folder_at = 0;
    if (sscanf(turn->report, "%llx %d %n", &nonce, &status, &folder_at) == 2 && nonce == turn->nonce) {
        turn->status = status;
        turn->is_over = true;
        size_t length = strlen(turn->report + folder_at);
        if (length > 0 && length < sizeof shell->cwd) {
            memcpy(shell->cwd, turn->report + folder_at, length + 1);
        }
    }
    size_t used = (size_t)(end + 1 - turn->report);
    memmove(turn->report, end + 1, turn->reported - used);
    turn->reported -= used;
}

static void turn_end_shell(struct shell *shell, struct turn *turn) {
    // Its last report may have come together with its end.
    report_read(shell, turn);
    shell->pid = 0;
    turn->is_over = true;
}

// What runs inside the shell's command goes; the shell itself may come back, and older jobs are not its command's.
static void turn_time_out(struct shell *shell, struct turn *turn) {
    turn->deadline_us = NEVER;
    turn->outcome |= EXIT_TIMED_OUT;
    // First all of it, however fast it forks: beside that the shell would hardly run, and its grace would be none.
    purge(&turn->before, shell->pid, KILL_PATIENCE_MS);
    turn->kill_us = now_us() + KILL_EVERY_MS * 1000;
    turn->give_up_us = now_us() + RETURN_GRACE_MS * 1000;
    if (shell_reap(shell)) { // the purge takes the news of it
        turn_end_shell(shell, turn);
    }
}

static void turn_check_times(struct shell *shell, struct turn *turn) {
    int64_t now = now_us();
    if (now >= turn->deadline_us) {
        turn_time_out(shell, turn);
    } else if (now >= turn->give_up_us) {
        turn->is_over = true;
    } else if (now >= turn->kill_us) {
        tree_signal(SIGKILL, &turn->before, shell->pid);
        turn->kill_us = now + KILL_EVERY_MS * 1000;
    }
}

static void turn_serve(struct shell *shell, struct turn *turn) {
    bool can_read = outbox_is_empty(shell->outbox);
    struct pollfd slots[NUM_SLOTS];
    short sends = can_read ? 0 : POLLOUT;
    slots[SLOT_CHANNEL] = (struct pollfd){.fd = shell->keeper->channel, .events = (short)(sends | POLLRDHUP)};
    slots[SLOT_SIGNALS] = (struct pollfd){.fd = shell->keeper->signals, .events = POLLIN};
    slots[SLOT_OUTPUT] = (struct pollfd){.fd = can_read ? shell->output.fd : -1, .events = POLLIN};
    slots[SLOT_REPORT] = (struct pollfd){.fd = shell->reports, .events = POLLIN};
    int64_t next = turn->deadline_us < turn->kill_us ? turn->deadline_us : turn->kill_us;
    int waits_ms = wait_ms(next < turn->give_up_us ? next : turn->give_up_us);
    poll(slots, NUM_SLOTS, shell->is_offered || waits_ms == 0 ? waits_ms : 1);
    shell->is_offered = shell->is_offered || command_offer(shell->pid);
    if ((slots[SLOT_CHANNEL].revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0) {
        turn->is_over = true;
        turn->has_host = false;
    }
    if (slots[SLOT_REPORT].revents != 0) {
        report_read(shell, turn);
    }
    if (slots[SLOT_SIGNALS].revents != 0 && shell_reap(shell)) {
        turn_end_shell(shell, turn);
    }
    if (slots[SLOT_OUTPUT].revents != 0) {
        stream_forward(&shell->output, shell->outbox, PIECE_BYTES);
    }
    turn->has_host = outbox_flush(shell->outbox, shell->keeper->channel) && turn->has_host;
}

static void turn_report(struct shell *shell, const struct turn *turn) {
    unsigned char *payload = shell->outbox->bytes + HEADER_BYTES;
    uint32_t words[2] = {(uint32_t)turn->status, turn->outcome};
    uint64_t numbers[2] = {shell->output.dropped, (uint64_t)(now_us() - turn->started_us)};
    size_t length = strlen(shell->cwd) + 1;
    memcpy(payload, words, sizeof words);
    memcpy(payload + sizeof words, numbers, sizeof numbers);
    memcpy(payload + sizeof words + sizeof numbers, shell->cwd, length);
    outbox_seal(shell->outbox, FRAME_EXIT, sizeof words + sizeof numbers + length);
    outbox_drain(shell->outbox, shell->keeper->channel);
}

// Sends what was written, and puts away a shell that ended or did not come back. False where the host is gone.
static bool turn_finish(struct shell *shell, struct turn *turn) {
    bool has_shell = shell->pid > 0 && turn->status >= 0;
    if (!has_shell) {
        turn->outcome |= EXIT_SHELL_GONE;
        if (shell->pid > 0) {
            kill(shell->pid, SIGKILL);
        }
    }
    if ((turn->outcome & EXIT_TIMED_OUT) != 0) {
        purge(&turn->before, shell->pid, KILL_PATIENCE_MS);
    }
    bool is_sent = turn->has_host && stream_finish(&shell->output, shell->outbox, shell->keeper->channel);
    if (!has_shell) {
        shell_drop(shell);
    }
    if (is_sent) {
        turn_report(shell, turn);
    }
    return is_sent;
}

static bool turn_run(struct shell *shell, const struct frame *request) {
    struct turn turn = {.status = -1, .has_host = true, .kill_us = NEVER, .give_up_us = NEVER};
    struct fields fields = fields_of(request);
    uint32_t timeout_ms = take_u32(&fields);
    shell->output.left = take_u64(&fields);
    shell->output.dropped = 0;
    turn.started_us = now_us();
    turn.deadline_us = timeout_ms == 0 ? NEVER : turn.started_us + (int64_t)timeout_ms * 1000;
    const char *text = take_string(&fields);
    if (fields.is_bad || getrandom(&turn.nonce, sizeof turn.nonce, 0) < 0) {
        return false;
    }
    if (shell->pid > 0 && shell_reap(shell)) {
        shell_drop(shell); // it ended between two commands
    }
    if (shell->pid == 0 && !shell_start(shell)) {
        bool is_refused = shell->refusal.exit_code != 0;
        const char *why = is_refused ? shell->refusal.text : strerror(errno);
        frame_fail(shell->keeper->channel, is_refused ? ENOENT : errno, "no shell could be started: %s", why);
        return true;
    }
    if (!tree_is_only(shell->pid)) {
        tree_list(&turn.before);
    }
    turn.is_over = !command_send(shell, &turn, text, strlen(text));
    while (!turn.is_over) {
        turn_serve(shell, &turn);
        if (!turn.is_over) {
            turn_check_times(shell, &turn);
        }
    }
    bool is_open = turn_finish(shell, &turn);
    processes_free(&turn.before);
    return is_open;
}

void shell_serve(struct keeper *keeper) {
    static struct shell shell;
    struct fields fields = fields_of(&keeper->request);
    shell = (struct shell){.keeper = keeper, .commands = -1, .reports = -1, .outbox = &shell_outbox};
    shell.output = (struct stream){.fd = -1, .kind = FRAME_OUTPUT};
    shell.command.work_dir = keeper->settings->work_dir;
    shell.command.flags = take_u32(&fields);
    if (!command_take(&shell.command, &fields) || strlen(shell.command.cwd) >= sizeof shell.cwd) {
        frame_fail(keeper->channel, EINVAL, "the runner was sent a malformed request for a shell");
        return;
    }
    strcpy(shell.cwd, shell.command.cwd);
    for (bool is_open = true; is_open;) {
        struct frame request = {.payload = NULL};
        is_open = frame_receive(keeper->channel, &request) && request.kind == FRAME_RUN && turn_run(&shell, &request);
        free(request.payload);
    }
    purge_all(KILL_PATIENCE_MS);
}
