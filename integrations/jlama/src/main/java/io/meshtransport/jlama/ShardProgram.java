// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jlama;

import com.github.tjake.jlama.util.PhysicalCoreExecutor;
import io.meshtransport.collectives.CollectiveException;
import io.meshtransport.spi.TransportException;
import io.meshtransport.topology.CommandLoop;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;

/** Executes the commands of a node. Confined to the node's worker thread; ends with the JVM. */
final class ShardProgram implements CommandLoop.Program<ShardCommand> {
  private final Consumer<ShardEvent> events;
  private LlamaShard shard;
  private ShardExchange exchange = ShardExchange.NONE;
  private Optional<MeshMembership> membership = Optional.empty();
  private Optional<StarCenter> center = Optional.empty();

  ShardProgram(Consumer<ShardEvent> events) {
    this.events = events;
    // Jlama takes half the processors, and at least two, which one processor does not have.
    PhysicalCoreExecutor.overrideThreadCount(Runtime.getRuntime().availableProcessors());
  }

  @Override
  public void execute(ShardCommand command) {
    try {
      events.accept(outcome(command));
    } catch (CollectiveException | TransportException | IOException | RuntimeException e) {
      // The demo reports it; a node can report it nowhere else.
      events.accept(new ShardEvent.Failed(e.getClass().getSimpleName(), String.valueOf(e)));
      e.printStackTrace();
    }
  }

  private ShardEvent outcome(ShardCommand command)
      throws CollectiveException, TransportException, IOException {
    if (command instanceof ShardCommand.Load load) {
      return load(load);
    }
    if (command instanceof ShardCommand.JoinMesh join) {
      membership = Optional.of(MeshMembership.join(join.members()));
      exchange = membership.get().exchange();
      return new ShardEvent.Joined(membership.get().describe());
    }
    if (command instanceof ShardCommand.OpenStar open) {
      center = Optional.of(StarCenter.open(open.workers()));
      return new ShardEvent.StarOpened(center.get().port());
    }
    if (command instanceof ShardCommand.JoinStar join) {
      exchange = new StarExchange(join.host(), join.port(), center.map(each -> each::publish));
      return new ShardEvent.Joined("a star around " + join.host() + ":" + join.port());
    }
    if (command instanceof ShardCommand.Generate generate) {
      return new ShardEvent.Generated(
          shard.generate(generate.prompt(), generate.count(), exchange));
    }
    return leave();
  }

  private ShardEvent load(ShardCommand.Load load) {
    if (shard != null) {
      shard.close();
    }
    shard = LlamaShard.load(Path.of(load.folder()), load.shard(), load.shards());
    return new ShardEvent.Done();
  }

  private ShardEvent leave() {
    try {
      exchange.close();
    } finally {
      exchange = ShardExchange.NONE;
      try {
        membership.ifPresent(MeshMembership::close);
      } finally {
        membership = Optional.empty();
        center.ifPresent(StarCenter::close);
        center = Optional.empty();
      }
    }
    return new ShardEvent.Done();
  }
}
