// Starts a program that handles bytes of strangers, with less than its parent may do. A static
// program without a C library: launch.build.ts compiles it, src/core/launch.ts writes its options.
//
//   launch [--option=value]... -- program [argument]...
//
// It runs in a process group of its own, and in the session of its parent: the kernel shares processors out
// between sessions before it looks at their niceness (autogroup, see sched(7)).
//
//   --parent=PID       fail when the parent is gone already
//   --death=SIGNAL     the signal that this process gets when the thread that started it ends
//   --uid=N --gid=N    run as this user, in no other group
//   --nice=N           lower priority by N
//   --cpu=SECONDS      RLIMIT_CPU; the hard limit is a second later
//   --memory=BYTES     RLIMIT_AS
//   --data=BYTES       RLIMIT_DATA
//   --fsize=BYTES      RLIMIT_FSIZE: a file that would become larger ends it with SIGXFSZ
//   --confine          no socket, no system calls that administer the machine or look into other
//                      processes (seccomp), no files but those of --read, --run, --write and
//                      --device (Landlock); what the kernel does not have is left out
//   --udp              with --confine: UDP sockets all the same, and those of rtnetlink(7), which
//                      list the addresses of this machine
//   --read=PATH        a file, or everything below a folder, may be read; a path that is not there
//   --run=PATH         is left out. --run: read and executed; --write: read, written, made and
//   --write=PATH       removed, files only; --device: read, written and ioctl
//   --device=PATH
//   --input=PATH       opens a file or folder below folders that others can change; it may be read. The
//                      first becomes descriptor 10, the next 11. Fails if any part of the path is a link
//   --report           in the place of a program: prints what holds after --confine
//
// Ends with 127 when the program is not there, 126 when it cannot be run, 125 for its own reasons.

#include <asm/stat.h>
#include <asm/unistd.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/in.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>

typedef long word;

#if defined(__x86_64__)
#define OUR_ARCH AUDIT_ARCH_X86_64
__asm__(".globl _start\n_start:\n xor %ebp, %ebp\n mov %rsp, %rdi\n and $-16, %rsp\n call launch\n");
static word call(word n, word a, word b, word c, word d, word e) {
  word result;
  register word r10 __asm__("r10") = d;
  register word r8 __asm__("r8") = e;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
                   : "rcx", "r11", "memory");
  return result;
}
#elif defined(__aarch64__)
#define OUR_ARCH AUDIT_ARCH_AARCH64
__asm__(".globl _start\n_start:\n mov x29, #0\n mov x0, sp\n and sp, x0, #-16\n bl launch\n");
static word call(word n, word a, word b, word c, word d, word e) {
  register word x8 __asm__("x8") = n;
  register word x0 __asm__("x0") = a;
  register word x1 __asm__("x1") = b;
  register word x2 __asm__("x2") = c;
  register word x3 __asm__("x3") = d;
  register word x4 __asm__("x4") = e;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4) : "memory");
  return x0;
}
#endif

#define EPERM 1
#define ENOENT 2
#define EACCES 13
#define ENOTDIR 20
#define EINVAL 22
#define ENAMETOOLONG 36
#define ENOSYS 38
#define AT_FDCWD (-100)
#if defined(__x86_64__)
#define O_DIRECTORY 0200000
#define O_NOFOLLOW 0400000
#else
#define O_DIRECTORY 040000
#define O_NOFOLLOW 0100000
#endif
#define O_PATH 010000000
#define O_CLOEXEC 02000000
#define PR_SET_PDEATHSIG 1
#define PR_SET_NO_NEW_PRIVS 38
#define S_IFMT 0170000
#define S_IFDIR 0040000
#define S_IFREG 0100000
#define RLIMIT_CPU 0
#define RLIMIT_FSIZE 1
#define RLIMIT_DATA 2
#define RLIMIT_CORE 4
#define RLIMIT_AS 9
#define AF_UNIX 1
#define AF_INET 2
#define AF_INET6 10
#define AF_NETLINK 16
#define SOCK_STREAM 1
#define SOCK_DGRAM 2
/** Without SOCK_CLOEXEC and SOCK_NONBLOCK. */
#define SOCK_TYPE_MASK 0xf

// Kept in the binary, so that a test can tell whether it was compiled from this source.
__attribute__((used)) const char launch_source[] = "source " SOURCE_DIGEST;

static size_t length(const char *text) {
  size_t count = 0;
  while (text[count]) count++;
  return count;
}

static void print(int fd, const char *text) { call(__NR_write, fd, (word)text, length(text), 0, 0); }

static void print_number(int fd, word number) {
  char digits[24];
  char *at = digits + sizeof digits - 1;
  *at = 0;
  do *--at = (char)('0' + number % 10);
  while (number /= 10);
  print(fd, at);
}

__attribute__((noreturn)) static void end(int code) {
  for (;;) call(__NR_exit_group, code, 0, 0, 0, 0);
}

__attribute__((noreturn)) static void fail(const char *what, const char *which, word error) {
  print(2, "launch: ");
  print(2, what);
  print(2, which);
  print(2, ": error ");
  print_number(2, -error);
  print(2, "\n");
  end(125);
}

/** The value of an option, where `argument` is that option. */
static const char *value_of(const char *argument, const char *option) {
  while (*option) {
    if (*argument++ != *option++) return 0;
  }
  return argument;
}

static int is_same(const char *one, const char *other) {
  const char *rest = value_of(one, other);
  return rest && !*rest;
}

static word number_of(const char *text) {
  word number = 0;
  for (; *text >= '0' && *text <= '9'; text++) number = number * 10 + (*text - '0');
  if (*text) fail("not a number: ", text, 0);
  return number;
}

/** The hard limit is `more` above the soft one. */
static void limit(int resource, word soft, word more) {
  uint64_t pair[2] = {(uint64_t)soft, (uint64_t)(soft + more)};
  word error = call(__NR_prlimit64, 0, resource, (word)pair, 0, 0);
  if (error < 0) fail("cannot set a limit", "", error);
}

/** Options of the command line. */
static struct {
  word uid, gid, death, parent, ruleset;
  int is_confined, may_use_udp, is_report;
} asked = {-1, -1, 0, 0, -ENOSYS, 0, 0, 0};

// Landlock: the headers of Debian 12 know its first version only.

#define LANDLOCK_CREATE_RULESET 444
#define LANDLOCK_ADD_RULE 445
#define LANDLOCK_RESTRICT_SELF 446
#define EXECUTE (1ull << 0)
#define WRITE_FILE (1ull << 1)
#define READ_FILE (1ull << 2)
#define READ_DIR (1ull << 3)
#define REMOVE_FILE (1ull << 5)
#define MAKE_FILE (1ull << 8)
#define TRUNCATE (1ull << 14)
#define IOCTL_DEV (1ull << 15)
/** Landlock rights that apply to a file that is no folder. */
#define OF_A_FILE (EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV)
#define READ (READ_FILE | READ_DIR)
/** No links, pipes and sockets: who reads the result would follow the one and hang on the others. */
#define WRITE (READ | WRITE_FILE | TRUNCATE | REMOVE_FILE | MAKE_FILE)
#define DEVICE (READ | WRITE_FILE | IOCTL_DEV)

static uint64_t handled;

static word landlock_version(void) { return call(LANDLOCK_CREATE_RULESET, 0, 0, 1, 0, 0); }

/** The descriptor of a new set of rules; negative where the kernel has no Landlock. */
static word create_ruleset(void) {
  word version = landlock_version();
  if (version < 1) return version;
  handled = version >= 5   ? (1ull << 16) - 1
            : version >= 3 ? (1ull << 15) - 1
            : version == 2 ? (1ull << 14) - 1
                           : (1ull << 13) - 1;
  // File rights, then TCP (bind, connect), then abstract sockets and signals outside.
  uint64_t attributes[3] = {handled, 3, 3};
  size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
  return call(LANDLOCK_CREATE_RULESET, (word)attributes, (word)size, 0, 0, 0);
}

static void allow_opened(word fd, const char *path, uint64_t rights) {
  if (asked.ruleset < 0) return;
  // A folder can be opened as one.
  word folder = call(__NR_openat, fd, (word) ".", O_PATH | O_CLOEXEC, 0, 0);
  if (folder == -ENOTDIR) rights &= OF_A_FILE;
  if (folder >= 0) call(__NR_close, folder, 0, 0, 0, 0);
  struct {
    uint64_t rights;
    int32_t fd;
  } __attribute__((packed)) rule = {rights & handled, (int32_t)fd};
  word error = call(LANDLOCK_ADD_RULE, asked.ruleset, 1, (word)&rule, 0, 0);
  if (error < 0) fail("cannot allow ", path, error);
}

static void allow(const char *path, uint64_t rights) {
  if (asked.ruleset < 0) return;
  word fd = call(__NR_openat, AT_FDCWD, (word)path, O_PATH | O_CLOEXEC, 0, 0);
  if (fd < 0) return;
  allow_opened(fd, path, rights);
  call(__NR_close, fd, 0, 0, 0, 0);
}

/**
 * Opens what an absolute path names, part by part: others may put a link into it at any time. Returns a
 * negative error for a link, and for what is neither a file nor a folder.
 */
static word open_unlinked(const char *path) {
  word at = call(__NR_openat, AT_FDCWD, (word) "/", O_PATH | O_DIRECTORY | O_CLOEXEC, 0, 0);
  for (;;) {
    char name[256];
    size_t size = 0;
    while (*path == '/') path++;
    if (at < 0 || !*path) break;
    while (*path && *path != '/' && size < sizeof name) name[size++] = *path++;
    if (size == sizeof name) return -ENAMETOOLONG;
    name[size] = 0;
    if (is_same(name, "..")) return -EINVAL;
    // As a folder where more follows, so that it is mounted where that happens on demand.
    int flags = O_PATH | O_NOFOLLOW | O_CLOEXEC | (*path ? O_DIRECTORY : 0);
    word next = call(__NR_openat, at, (word)name, flags, 0, 0);
    call(__NR_close, at, 0, 0, 0, 0);
    at = next;
  }
  struct stat info;
  if (at >= 0) {
    word error = call(__NR_fstat, at, (word)&info, 0, 0, 0);
    if (error < 0) return error;
    unsigned type = info.st_mode & S_IFMT;
    if (type != S_IFREG && type != S_IFDIR) return -EINVAL;
  }
  return at;
}

/** The descriptor of the first --input, behind those that are open by then. */
#define FIRST_INPUT 10
static word inputs = 0;

static void open_input(const char *path) {
  word fd = open_unlinked(path);
  if (fd < 0) fail("cannot open ", path, fd);
  allow_opened(fd, path, READ);
  word error = call(__NR_dup3, fd, FIRST_INPUT + inputs++, 0, 0, 0);
  if (error < 0) fail("cannot pass on ", path, error);
  call(__NR_close, fd, 0, 0, 0, 0);
}

/** Refused with EPERM: calls that administer the machine, look into other processes, or were often vulnerable. */
static const uint16_t REFUSED[] = {
    __NR_ptrace, __NR_process_vm_readv, __NR_process_vm_writev, __NR_kcmp, __NR_bpf,
    __NR_perf_event_open, __NR_userfaultfd, __NR_keyctl, __NR_add_key, __NR_request_key,
    __NR_mount, __NR_umount2, __NR_pivot_root, __NR_chroot, __NR_unshare, __NR_setns,
    __NR_name_to_handle_at, __NR_open_by_handle_at, __NR_init_module, __NR_finit_module,
    __NR_delete_module, __NR_kexec_load, __NR_reboot, __NR_swapon, __NR_swapoff, __NR_acct,
    __NR_quotactl, __NR_settimeofday, __NR_clock_settime, __NR_clock_adjtime, __NR_adjtimex,
    __NR_sethostname, __NR_setdomainname, __NR_syslog, __NR_vhangup, __NR_nfsservctl,
    __NR_lookup_dcookie, __NR_migrate_pages, __NR_move_pages, __NR_fanotify_init,
    425 /* io_uring_setup */, 426, 427, 428 /* open_tree */, 429 /* move_mount */, 430, 431, 432,
    433, 438 /* pidfd_getfd */, 442 /* mount_setattr */, 457, 458,
#if defined(__x86_64__)
    __NR_iopl, __NR_ioperm, __NR_modify_ldt, __NR_uselib, __NR_ustat, __NR__sysctl,
    __NR_kexec_file_load, __NR_create_module,
#endif
};
#define REFUSED_COUNT (sizeof REFUSED / sizeof *REFUSED)
/** CLONE_NEW* for mount, cgroup, uts, ipc, user, pid and network. */
#define NEW_NAMESPACE 0x7E020000u

#define LOAD(field) \
  (struct sock_filter) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define ANSWER(how) (struct sock_filter) BPF_STMT(BPF_RET | BPF_K, how)
#define IF_EQUAL(number, yes, no) \
  (struct sock_filter) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, yes, no)

#define MASK(bits) (struct sock_filter) BPF_STMT(BPF_ALU | BPF_AND | BPF_K, bits)
#define REFUSE_SOCKET ANSWER(SECCOMP_RET_ERRNO | EACCES)

static struct sock_filter code[REFUSED_COUNT + 48];
static unsigned short at = 0;

/** Only a pair of streams, and with --udp sockets for that. Jumps count the instructions after them. */
static void filter_sockets(void) {
  if (asked.may_use_udp) {
    code[at++] = IF_EQUAL(__NR_socket, 0, 15);
    code[at++] = LOAD(args[0]);
    code[at++] = IF_EQUAL(AF_NETLINK, 0, 3);
    code[at++] = LOAD(args[2]);
    code[at++] = IF_EQUAL(NETLINK_ROUTE, 9, 0);
    code[at++] = REFUSE_SOCKET;
    code[at++] = IF_EQUAL(AF_INET, 1, 0);
    code[at++] = IF_EQUAL(AF_INET6, 0, 7);
    code[at++] = LOAD(args[1]);
    code[at++] = MASK(SOCK_TYPE_MASK);
    code[at++] = IF_EQUAL(SOCK_DGRAM, 0, 4);
    // Others are ping (IPPROTO_ICMP) and UDP-Lite.
    code[at++] = LOAD(args[2]);
    code[at++] = IF_EQUAL(0, 1, 0);
    code[at++] = IF_EQUAL(IPPROTO_UDP, 0, 1);
    code[at++] = ANSWER(SECCOMP_RET_ALLOW);
    code[at++] = REFUSE_SOCKET;
  } else {
    code[at++] = IF_EQUAL(__NR_socket, 0, 1);
    code[at++] = REFUSE_SOCKET;
  }
  // One of a pair of datagram sockets could send to any socket of the machine that has a path.
  code[at++] = IF_EQUAL(__NR_socketpair, 0, 5);
  code[at++] = LOAD(args[1]);
  code[at++] = MASK(SOCK_TYPE_MASK);
  code[at++] = IF_EQUAL(SOCK_STREAM, 0, 1);
  code[at++] = ANSWER(SECCOMP_RET_ALLOW);
  code[at++] = REFUSE_SOCKET;
}

/** 0, or why there is no filter. */
static word filter_calls(void) {
  code[at++] = LOAD(arch);
  code[at++] = IF_EQUAL(OUR_ARCH, 1, 0);
  code[at++] = ANSWER(SECCOMP_RET_KILL_PROCESS);
  code[at++] = LOAD(nr);
#if defined(__x86_64__)
  // The calls of x32 have the same numbers with one bit more.
  code[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1);
  code[at++] = ANSWER(SECCOMP_RET_ERRNO | ENOSYS);
#endif
  filter_sockets();
  // Its flags are in memory, where a filter cannot look: C libraries then take clone.
  code[at++] = IF_EQUAL(435 /* clone3 */, 0, 1);
  code[at++] = ANSWER(SECCOMP_RET_ERRNO | ENOSYS);
  code[at++] = IF_EQUAL(__NR_clone, 0, 4);
  code[at++] = LOAD(args[0]);
  code[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, NEW_NAMESPACE, 0, 1);
  code[at++] = ANSWER(SECCOMP_RET_ERRNO | EPERM);
  code[at++] = ANSWER(SECCOMP_RET_ALLOW);
  for (size_t index = 0; index < REFUSED_COUNT; index++) {
    code[at++] = IF_EQUAL(REFUSED[index], (unsigned char)(REFUSED_COUNT - index), 0);
  }
  code[at++] = ANSWER(SECCOMP_RET_ALLOW);
  code[at++] = ANSWER(SECCOMP_RET_ERRNO | EPERM);
  struct sock_fprog program = {at, code};
  return call(__NR_seccomp, SECCOMP_SET_MODE_FILTER, 0, (word)&program, 0, 0);
}

/** Not what the kernel promises but what it does: tried with a socket and the root folder. */
static void report(void) {
  word fd = call(__NR_socket, AF_UNIX, SOCK_STREAM, 0, 0, 0);
  word root = call(__NR_openat, AT_FDCWD, (word) "/", 0, 0, 0);
  print(1, "seccomp=");
  print_number(1, fd == -EACCES);
  print(1, " landlock=");
  print_number(1, root == -EACCES ? landlock_version() : 0);
  print(1, "\n");
  end(0);
}

static const char *path_of(char **environment) {
  for (; *environment; environment++) {
    const char *value = value_of(*environment, "PATH=");
    if (value) return value;
  }
  return "/usr/local/bin:/usr/bin:/bin";
}

/** As execvp: looks for a name without a slash in the folders of PATH. Returns why it failed. */
static word execute(char **command, char **environment) {
  const char *name = command[0];
  for (const char *at = name; *at; at++) {
    if (*at == '/') return call(__NR_execve, (word)name, (word)command, (word)environment, 0, 0);
  }
  word error = -ENOENT;
  for (const char *folder = path_of(environment); *folder;) {
    char path[4096];
    size_t size = 0;
    while (*folder && *folder != ':' && size < sizeof path - 1) path[size++] = *folder++;
    while (*folder && *folder != ':') folder++;
    if (*folder) folder++;
    if (size == 0 || size + length(name) + 2 > sizeof path) continue;
    path[size++] = '/';
    for (const char *from = name; *from;) path[size++] = *from++;
    path[size] = 0;
    word found = call(__NR_execve, (word)path, (word)command, (word)environment, 0, 0);
    if (found != -ENOENT && found != -ENOTDIR) error = found;
  }
  return error;
}

static void read_option(const char *argument) {
  const char *value;
  if ((value = value_of(argument, "--parent="))) asked.parent = number_of(value);
  else if ((value = value_of(argument, "--death="))) asked.death = number_of(value);
  else if ((value = value_of(argument, "--uid="))) asked.uid = number_of(value);
  else if ((value = value_of(argument, "--gid="))) asked.gid = number_of(value);
  else if ((value = value_of(argument, "--nice="))) call(__NR_setpriority, 0, 0, number_of(value), 0, 0);
  else if ((value = value_of(argument, "--cpu="))) limit(RLIMIT_CPU, number_of(value), 1);
  else if ((value = value_of(argument, "--memory="))) limit(RLIMIT_AS, number_of(value), 0);
  else if ((value = value_of(argument, "--data="))) limit(RLIMIT_DATA, number_of(value), 0);
  else if ((value = value_of(argument, "--fsize="))) limit(RLIMIT_FSIZE, number_of(value), 0);
  else if (value_of(argument, "--confine")) {
    asked.is_confined = 1;
    asked.ruleset = create_ruleset();
  }
  else if (is_same(argument, "--udp")) asked.may_use_udp = 1;
  else if ((value = value_of(argument, "--read="))) allow(value, READ);
  else if ((value = value_of(argument, "--run="))) allow(value, READ | EXECUTE);
  else if ((value = value_of(argument, "--write="))) allow(value, WRITE);
  else if ((value = value_of(argument, "--device="))) allow(value, DEVICE);
  else if ((value = value_of(argument, "--input="))) open_input(value);
  else if (value_of(argument, "--report")) asked.is_report = 1;
  else fail("unknown option ", argument, 0);
}

static void become(word uid, word gid) {
  word error = call(__NR_setgroups, 0, 0, 0, 0, 0);
  if (error >= 0) error = call(__NR_setresgid, gid, gid, gid, 0, 0);
  if (error >= 0) error = call(__NR_setresuid, uid, uid, uid, 0, 0);
  if (error < 0) fail("cannot become another user", "", error);
}

static void confine(void) {
  if (asked.ruleset >= 0) {
    word error = call(LANDLOCK_RESTRICT_SELF, asked.ruleset, 0, 0, 0, 0);
    if (error < 0) fail("Landlock", "", error);
  }
  // Where this is root: the privileges of root are gone for good, by no_new_privs.
  uint32_t header[2] = {0x20080522, 0}, none[6] = {0};
  call(__NR_capset, (word)header, (word)none, 0, 0, 0);
  filter_calls();
}

__attribute__((noreturn, used)) void launch(word *stack) {
  char **argument = (char **)(stack + 2);
  char **environment = (char **)(stack + 1) + stack[0] + 1;
  call(__NR_setpgid, 0, 0, 0, 0, 0);
  call(__NR_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  limit(RLIMIT_CORE, 0, 0);
  for (; *argument && !is_same(*argument, "--"); argument++) read_option(*argument);
  if (asked.uid >= 0) become(asked.uid, asked.gid);
  // After the change of the user, which resets it. A parent that is gone sends no signal.
  if (asked.death > 0) call(__NR_prctl, PR_SET_PDEATHSIG, asked.death, 0, 0, 0);
  if (asked.parent > 0 && call(__NR_getppid, 0, 0, 0, 0, 0) != asked.parent) end(125);
  if (asked.is_confined) confine();
  if (asked.is_report) report();
  if (!*argument || !*++argument) fail("no program", "", 0);
  word error = execute(argument, environment);
  print(2, "launch: failed to execute ");
  print(2, *argument);
  print(2, error == -ENOENT ? ": not found\n" : ": cannot be run\n");
  end(error == -ENOENT ? 127 : 126);
}
