// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jlama;

import io.meshtransport.collectives.Group;
import io.meshtransport.collectives.GroupSpec;
import io.meshtransport.collectives.Rendezvous;
import io.meshtransport.spi.Transport;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Shards that are the members of a group, all in this process. */
@Tag("slow")
class MeshExchangeTest {
  private static final RandomLlama MODEL = new RandomLlama(new LlamaShape(2, 96, 6, 192, 64), 5);
  private static final List<String> MEMBERS = List.of("a", "b", "c");
  private static final Duration SOON = Duration.ofSeconds(60);

  @TempDir private Path folder;

  private final List<Transport> transports = new ArrayList<>();
  private final List<Group> groups = new ArrayList<>();
  private final ExecutorService threads = Executors.newFixedThreadPool(MEMBERS.size());

  @BeforeEach
  void joinGroups() throws Exception {
    MODEL.write(folder);
    Rendezvous rendezvous = Rendezvous.inProcess();
    List<Future<Group>> joining = new ArrayList<>();
    for (String member : MEMBERS) {
      String address = "127.93.1." + (1 + MEMBERS.indexOf(member)) + "/24";
      Transport transport = Transport.open(Map.of("MESH_LOOPBACK", address));
      transports.add(transport);
      GroupSpec spec = GroupSpec.named("shards").members(MEMBERS).member(member);
      joining.add(threads.submit(() -> Group.join(transport, spec, rendezvous, SOON)));
    }
    for (Future<Group> each : joining) {
      groups.add(each.get());
    }
  }

  @AfterEach
  void close() {
    groups.forEach(Group::close);
    transports.forEach(Transport::close);
    threads.shutdownNow();
  }

  @Test
  void shouldGiveTheTokensOfTheUndividedModel() throws Exception {
    List<Future<MeshExchange>> preparing = new ArrayList<>();
    groups.forEach(group -> preparing.add(threads.submit(() -> new MeshExchange(group))));
    List<MeshExchange> exchanges = new ArrayList<>();
    for (Future<MeshExchange> each : preparing) {
      exchanges.add(each.get());
    }

    Shards.assertSameAnswers(folder, "wire", 12, exchanges);
  }
}
