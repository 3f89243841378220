/** Number of a system call on x86_64 and aarch64; undefined if the processor lacks the call. */
type Numbers = readonly [x64: number | undefined, arm64: number | undefined]

/** The number of a newer call, which is the same on all processors. */
const same = (number: number): Numbers => [number, number]

/** Calls that read, change or take over another process. */
const otherProcesses: Record<string, Numbers> = {
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  kcmp: [312, 272],
  pidfd_getfd: same(438),
  process_madvise: same(440),
}

/** Calls for keyrings. The sandbox inherits them from its parent, and namespaces do not separate them. */
const keyrings: Record<string, Numbers> = {
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
}

/** Calls that change mounts or enter another namespace. */
const namespaces: Record<string, Numbers> = {
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  unshare: [272, 97],
  setns: [308, 268],
  open_tree: same(428),
  move_mount: same(429),
  fsopen: same(430),
  fsconfig: same(431),
  fsmount: same(432),
  fspick: same(433),
  mount_setattr: same(442),
  open_tree_attr: same(467),
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
}

/** Calls of large kernel subsystems. No task's program needs them, and most vulnerabilities were there. */
const kernel: Record<string, Numbers> = {
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  io_uring_setup: same(425),
  io_uring_enter: same(426),
  io_uring_register: same(427),
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  fanotify_init: [300, 262],
  fanotify_mark: [301, 263],
  lookup_dcookie: [212, 18],
  nfsservctl: [180, 42],
  modify_ldt: [154, undefined],
  uselib: [134, undefined],
  _sysctl: [156, undefined],
  iopl: [172, undefined],
  ioperm: [173, undefined],
  migrate_pages: [256, 238],
  move_pages: [279, 239],
  mbind: [237, 235],
  set_mempolicy: [238, 237],
}

/** Calls that change settings of the machine. */
const machine: Record<string, Numbers> = {
  reboot: [169, 142],
  swapon: [167, 224],
  swapoff: [168, 225],
  acct: [163, 89],
  quotactl: [179, 60],
  quotactl_fd: same(443),
  syslog: [103, 116],
  vhangup: [153, 58],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  adjtimex: [159, 171],
  clock_adjtime: [305, 266],
  sethostname: [170, 161],
  setdomainname: [171, 162],
}

/** Calls that allocate memory which belongs to no process, so that measuring processes would miss it. */
const hiddenMemory: Record<string, Numbers> = {
  memfd_create: [319, 279],
  memfd_secret: same(447),
  shmget: [29, 194],
  msgget: [68, 186],
  semget: [64, 190],
  // Pages that were given to a pipe stay there after the process unmaps them.
  vmsplice: [278, 75],
}

/** Calls that fail with EPERM. */
export const refusedCalls = { ...otherProcesses, ...keyrings, ...namespaces, ...kernel, ...machine }

/** Calls that fail with ENOSYS, so that programs use an older call that can be checked or measured. */
export const missingCalls: Record<string, Numbers> = { ...hiddenMemory, clone3: same(435) }

/** Calls that are refused only for some arguments. */
export const checkedCalls = {
  clone: [56, 220],
  fcntl: [72, 25],
  ioctl: [16, 29],
  mmap: [9, 222],
  prctl: [157, 167],
  setsockopt: [54, 208],
  socket: [41, 198],
  socketpair: [53, 199],
} satisfies Record<string, Numbers>
