#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "command.h"
#include "keeper.h"
#include "purge.h"
#include "stream.h"
#include "tree.h"

enum { KILL_PATIENCE_MS = 10000, OFFER_AFTER_US = 1500, SLOT_CHANNEL = 0, SLOT_SIGNALS, SLOT_INPUT, SLOT_OUTPUT, SLOT_ERRORS, NUM_SLOTS };

struct run {
    struct keeper *keeper;
    struct command command;
    struct refusal refusal;
    pid_t pid; // 0 once it is reaped
    int status;
    int input;
    struct inbox inbox;
    size_t input_sent;
    bool has_input_frame;
    bool is_offered; // to the kernel, to be killed when memory is short
    struct stream streams[2];
    struct outbox *outbox;
    int64_t started_us;
    int64_t deadline_us;
    int64_t kill_us;  // when a polite end turns into a kill
    int64_t drain_us; // when a pipe that outlives the command is given up
    uint32_t grace_ms;
    uint32_t drain_ms;
    uint32_t outcome;
    bool is_over;
};

static struct outbox exec_outbox;

static bool run_take(struct run *run) {
    struct fields fields = fields_of(&run->keeper->request);
    run->command.flags = take_u32(&fields);
    run->command.work_dir = run->keeper->settings->work_dir;
    uint32_t timeout_ms = take_u32(&fields);
    run->grace_ms = take_u32(&fields);
    run->drain_ms = take_u32(&fields);
    uint64_t max_output = take_u64(&fields);
    run->started_us = now_us();
    run->deadline_us = timeout_ms == 0 ? NEVER : run->started_us + (int64_t)timeout_ms * 1000;
    run->kill_us = run->drain_us = NEVER;
    run->streams[0] = (struct stream){.fd = -1, .kind = FRAME_OUTPUT, .left = max_output};
    run->streams[1] = (struct stream){.fd = -1, .kind = FRAME_ERROR_OUTPUT, .left = max_output};
    return command_take(&run->command, &fields);
}

static bool run_start(struct run *run) {
    bool merges = (run->command.flags & EXEC_MERGES_STDERR) != 0;
    bool has_stdin = (run->command.flags & EXEC_HAS_STDIN) != 0;
    int input[2] = {-1, -1};
    int output[2] = {-1, -1};
    int errors[2] = {-1, -1};
    bool is_made = has_stdin ? pipe_make(input, 1) : (input[0] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0;
    is_made = is_made && pipe_make(output, 0) && (merges || pipe_make(errors, 0));
    if (is_made) {
        int streams[3] = {input[0], output[1], merges ? output[1] : errors[1]};
        run->pid = command_start(&run->command, streams, NULL, &run->refusal);
    }
    int error = errno;
    descriptor_close(&input[0]);
    descriptor_close(&output[1]);
    descriptor_close(&errors[1]);
    run->input = input[1];
    run->streams[0].fd = output[0];
    run->streams[1].fd = errors[0];
    errno = error;
    return is_made;
}

static void run_reap(struct run *run) {
    struct signalfd_siginfo told;
    while (read(run->keeper->signals, &told, sizeof told) > 0) {
    }
    int status = 0;
    for (pid_t pid = waitpid(-1, &status, WNOHANG); pid > 0; pid = waitpid(-1, &status, WNOHANG)) {
        if (pid == run->pid) {
            run->pid = 0;
            run->status = status;
            descriptor_close(&run->input);
            run->drain_us = now_us() + (int64_t)run->drain_ms * 1000;
        }
    }
}

static void signal_all(const struct run *run, int signal_number) {
    // The group first: it is hit at one moment, however fast it forks. Its number is the command's while that is unreaped.
    if (run->pid > 0) {
        kill(-run->pid, signal_number);
    }
    tree_signal(signal_number, NULL, 0);
}

static void run_end_politely(struct run *run) {
    if (run->grace_ms == 0) {
        run->is_over = true;
        return;
    }
    signal_all(run, SIGTERM);
    run->kill_us = now_us() + (int64_t)run->grace_ms * 1000;
}

static void run_check_times(struct run *run) {
    int64_t now = now_us();
    if (now >= run->kill_us || now >= run->drain_us) {
        run->is_over = true;
    } else if (now >= run->deadline_us && run->pid > 0) {
        run->deadline_us = NEVER;
        run->outcome |= EXIT_TIMED_OUT;
        run_end_politely(run);
    }
    if (run->pid == 0 && run->streams[0].fd < 0 && run->streams[1].fd < 0) {
        run->is_over = true;
    }
}

static void run_feed(struct run *run) {
    const struct frame *frame = &run->inbox.frame;
    if (frame->kind == FRAME_INPUT && run->input >= 0 && run->input_sent < frame->length) {
        ssize_t sent = write(run->input, frame->payload + run->input_sent, frame->length - run->input_sent);
        if (sent < 0 && errno == EAGAIN) {
            return;
        }
        if (sent < 0) {
            descriptor_close(&run->input); // the command reads no more; the rest is dropped
        } else {
            run->input_sent += (size_t)sent;
        }
    }
    if (frame->kind == FRAME_INPUT_END) {
        descriptor_close(&run->input);
    }
    if (run->input < 0 || run->input_sent >= frame->length) {
        inbox_clear(&run->inbox);
        run->has_input_frame = false;
        run->input_sent = 0;
    }
}

static void run_listen(struct run *run) {
    enum inbox_state state = inbox_receive(&run->inbox, run->keeper->channel);
    if (state == INBOX_CLOSED) {
        run->outcome |= EXIT_INTERRUPTED;
        run->is_over = true;
    } else if (state == INBOX_FRAME) {
        run->has_input_frame = true;
        run->input_sent = 0;
        run_feed(run);
    }
}

static void run_poll(struct run *run, struct pollfd *slots) {
    bool can_read = outbox_is_empty(run->outbox);
    short listens = run->has_input_frame ? 0 : POLLIN;
    short sends = can_read ? 0 : POLLOUT;
    slots[SLOT_CHANNEL] = (struct pollfd){.fd = run->keeper->channel, .events = (short)(listens | sends | POLLRDHUP)};
    slots[SLOT_SIGNALS] = (struct pollfd){.fd = run->keeper->signals, .events = POLLIN};
    slots[SLOT_INPUT] = (struct pollfd){.fd = run->has_input_frame ? run->input : -1, .events = POLLOUT};
    slots[SLOT_OUTPUT] = (struct pollfd){.fd = can_read ? run->streams[0].fd : -1, .events = POLLIN};
    slots[SLOT_ERRORS] = (struct pollfd){.fd = can_read ? run->streams[1].fd : -1, .events = POLLIN};
    int64_t next = run->deadline_us < run->kill_us ? run->deadline_us : run->kill_us;
    int waits_ms = wait_ms(next < run->drain_us ? next : run->drain_us);
    poll(slots, NUM_SLOTS, run->is_offered || waits_ms == 0 ? waits_ms : 2);
}

static void run_serve(struct run *run, const struct pollfd *slots) {
    if (slots[SLOT_SIGNALS].revents != 0) {
        run_reap(run);
    }
    if ((slots[SLOT_CHANNEL].revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0) {
        run->outcome |= EXIT_INTERRUPTED;
        run->is_over = true;
        return;
    }
    if ((slots[SLOT_CHANNEL].revents & POLLIN) != 0) {
        run_listen(run);
    }
    if (slots[SLOT_INPUT].revents != 0 && run->has_input_frame) {
        run_feed(run);
    }
    for (int at = 0; at < 2; at++) {
        if (slots[SLOT_OUTPUT + at].revents != 0 && outbox_is_empty(run->outbox)) {
            stream_forward(&run->streams[at], run->outbox, PIECE_BYTES);
        }
    }
    outbox_flush(run->outbox, run->keeper->channel);
}

static void run_clean_up(struct run *run) {
    bool keeps = (run->command.flags & EXEC_KEEPS_BACKGROUND) != 0 && (run->outcome & EXIT_TIMED_OUT) == 0 &&
                 (run->outcome & EXIT_INTERRUPTED) == 0;
    if (keeps) {
        return;
    }
    if (run->pid > 0) {
        kill(-run->pid, SIGKILL);
        kill(run->pid, SIGKILL);
        run->status = SIGKILL; // what the wait status will be
        run->pid = 0;
    }
    if (!purge_all(KILL_PATIENCE_MS)) {
        run->outcome |= EXIT_LEFTOVERS;
    }
}

static bool run_report(struct run *run) {
    int channel = run->keeper->channel;
    if (run->refusal.exit_code != 0) {
        char line[sizeof run->refusal.text + 32];
        int length = snprintf(line, sizeof line, "agentgym-runner: %s\n", run->refusal.text);
        bool merges = (run->command.flags & EXEC_MERGES_STDERR) != 0;
        frame_send(channel, merges ? FRAME_OUTPUT : FRAME_ERROR_OUTPUT, line, (size_t)length);
        run->status = run->refusal.exit_code << 8; // the wait status of that exit code
    }
    bool is_there = stream_finish(&run->streams[0], run->outbox, channel) &&
                    stream_finish(&run->streams[1], run->outbox, channel);
    if (!is_there) {
        return false;
    }
    unsigned char *payload = run->outbox->bytes + HEADER_BYTES;
    uint32_t words[2] = {exit_code_of(run->status), run->outcome};
    uint64_t numbers[2] = {run->streams[0].dropped + run->streams[1].dropped, (uint64_t)(now_us() - run->started_us)};
    memcpy(payload, words, sizeof words);
    memcpy(payload + sizeof words, numbers, sizeof numbers);
    outbox_seal(run->outbox, FRAME_EXIT, sizeof words + sizeof numbers);
    return outbox_drain(run->outbox, channel);
}

static void run_free(struct run *run) {
    descriptor_close(&run->input);
    descriptor_close(&run->streams[0].fd);
    descriptor_close(&run->streams[1].fd);
    inbox_clear(&run->inbox);
    command_free(&run->command);
}

static void run_offer(struct run *run) {
    // Most commands are over before it is worth the time.
    if (!run->is_offered && run->pid > 0 && now_us() - run->started_us > OFFER_AFTER_US) {
        run->is_offered = command_offer(run->pid);
    }
}

void exec_serve(struct keeper *keeper) {
    struct run run = {.keeper = keeper, .input = -1, .outbox = &exec_outbox};
    if (!run_take(&run)) {
        frame_fail(keeper->channel, EINVAL, "the runner was sent a malformed command");
        return;
    }
    if (!run_start(&run)) {
        frame_fail(keeper->channel, errno, "no process could be started for %s: %s", run.command.arguments[0],
                   strerror(errno));
        return;
    }
    struct pollfd slots[NUM_SLOTS];
    for (run_check_times(&run); !run.is_over; run_check_times(&run)) {
        run_poll(&run, slots);
        run_serve(&run, slots);
        run_offer(&run);
    }
    run_clean_up(&run);
    // What a command may still be sent, or has left running on purpose, is not the next one's business.
    bool is_whole = run.outcome == 0 && (run.command.flags & (EXEC_KEEPS_BACKGROUND | EXEC_HAS_STDIN)) == 0;
    keeper->is_free = run_report(&run) && is_whole;
    run_free(&run);
}
