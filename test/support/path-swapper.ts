/** Swaps what is at a path for a link to `target` and back, thousands of times a second. */
const SCRIPT = `
  my ($path, $target) = @ARGV;
  my ($swaps, $isOver) = (0, 0);
  $SIG{TERM} = sub { $isOver = 1 };
  until ($isOver) {
    rename $path, "$path.aside" or die "rename: $!";
    symlink $target, $path or die "symlink: $!";
    select undef, undef, undef, 0.0001;
    unlink $path or die "unlink: $!";
    rename "$path.aside", $path or die "rename back: $!";
    select undef, undef, undef, 0.0001;
    $swaps += 1;
  }
  print $swaps;`;

export type PathSwapper = {
  /** Leaves what was at the path. Returns how often it was swapped. */
  stop(): Promise<number>;
};

export function startSwapping(path: string, target: string): PathSwapper {
  const child = Bun.spawn(['perl', '-e', SCRIPT, path, target], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  });
  return {
    async stop() {
      child.kill('SIGTERM');
      const text = await new Response(child.stdout).text();
      if ((await child.exited) !== 0) throw new Error(`Swapping ${path} failed`);
      return Number(text);
    },
  };
}
