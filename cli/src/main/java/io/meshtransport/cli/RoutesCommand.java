// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.cli.routes.KernelRoutes;
import io.meshtransport.cli.routes.RoutePlan;
import io.meshtransport.config.MeshConfig;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code mesh routes}: every program reaches every node. */
@Command(
    name = "routes",
    description =
        "Shows an IPv6 address for each node and this node's path to it, over cables and middle nodes. With --apply"
            + " the kernel gets them, on a dummy interface, and follows the mesh until Ctrl-C, which removes all of"
            + " it: each node that is to be reached or passed runs ./mesh up and ./mesh routes --apply.",
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:routes were shown or removed",
      "1:the kernel refused, or the mesh cannot be read",
      "2:an option or a setting is wrong",
      "130:Ctrl-C, and everything was removed"
    })
final class RoutesCommand implements Callable<Integer> {
  private static final long FOLLOW_MS = 200;

  private static final class Mode {
    @Option(names = "--apply", description = "Give them to the kernel until Ctrl-C. Needs root.")
    private boolean apply;

    @Option(names = "--remove", description = "Remove what a killed --apply has left. Needs root.")
    private boolean remove;
  }

  @ArgGroup private Mode mode = new Mode();

  @CommandLine.Mixin private JoinLimit joinLimit;

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Override
  public Integer call() throws IOException, InterruptedException {
    joinLimit.check();
    PrintWriter out = spec.commandLine().getOut();
    if (mode.remove) {
      out.println(
          new KernelRoutes().remove() ? "removed" : "nothing to remove: there is no mesh-routes");
      out.flush();
      return CommandLine.ExitCode.OK;
    }
    MeshConfig config = MeshConfig.load(Map.of());
    try (MapSource source =
        MapSource.open(config, joinLimit.seconds(), spec.commandLine().getErr())) {
      if (mode.apply) {
        follow(source, out);
      } else {
        print(RoutePlan.of(source.map()), out);
      }
    }
    return CommandLine.ExitCode.OK;
  }

  private static void print(RoutePlan plan, PrintWriter out) {
    TextTable table = new TextTable("node", "address", "via", "interface");
    table.row("this node", plan.own(), "", KernelRoutes.INTERFACE);
    plan.routes()
        .forEach(
            each -> table.row(each.node(), each.address(), each.gateway(), each.interfaceName()));
    out.print(table);
    out.flush();
  }

  /** The kernel and the end of this process must not be at work at once. */
  private static void follow(MapSource source, PrintWriter out)
      throws IOException, InterruptedException {
    KernelRoutes kernel = new KernelRoutes();
    boolean[] isEnding = new boolean[1];
    Thread removal = new Thread(() -> remove(kernel, isEnding), "mesh-routes-removal");
    Runtime.getRuntime().addShutdownHook(removal);
    try {
      RoutePlan before = null;
      while (!out.checkError() && !System.out.checkError()) {
        RoutePlan plan = RoutePlan.of(source.map());
        synchronized (kernel) {
          if (isEnding[0]) {
            return;
          }
          kernel.apply(plan);
        }
        if (!plan.equals(before)) {
          print(plan, out);
          before = plan;
        }
        Thread.sleep(FOLLOW_MS);
      }
    } finally {
      remove(kernel, isEnding);
    }
  }

  private static void remove(KernelRoutes kernel, boolean[] isEnding) {
    synchronized (kernel) {
      isEnding[0] = true;
      try {
        kernel.remove();
      } catch (IOException e) {
        System.err.println("mesh: " + e.getMessage() + "; ./mesh routes --remove tries again");
      }
    }
  }
}
