// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.NicListener;
import io.meshtransport.spi.RelayServices;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The life of a {@link Relay} without a wire. */
@Timeout(60)
class RelayTest {
  private final ScriptedMesh script = new ScriptedMesh();

  @Test
  void shouldPublishNothingOnceItHasLeft() throws Exception {
    Relay relay = Relay.start(script.mesh, Map.of("MESH_RELAY", "1"));
    assertEquals(Set.of(RelayServices.RELAY), script.published.keySet());
    NicListener late = script.nicListeners.get(0);
    relay.close();
    // A call of the transport's that has begun before the listener was removed.
    late.nicsChanged(List.of());
    assertEquals(Set.of(), script.published.keySet());
    assertEquals(List.of(), script.nicListeners);
  }

  @Test
  void shouldUseTheSettingsOfItsTransportUnlessItHasItsOwn() throws Exception {
    script.settings.put("MESH_RELAY", "0");
    try (Relay relay = Relay.start(script.mesh, Map.of("MESH_RELAY", " "))) {
      assertEquals(Set.of(RelayServices.END), script.published.keySet(), relay.toString());
    }
    try (Relay relay = Relay.start(script.mesh, Map.of("MESH_RELAY", "1"))) {
      assertEquals(Set.of(RelayServices.RELAY), script.published.keySet(), relay.toString());
    }
  }

  @Test
  void shouldNameNodesThatTheMeshKnows() throws Exception {
    String id = ScriptedMesh.OTHER.id();
    try (Relay relay = Relay.start(script.mesh, Map.of("MESH_RELAY", "0"))) {
      assertEquals("00000000", relay.peer(id).toString());
      script.hasNeighbour = true;
      assertEquals(ScriptedMesh.OTHER, relay.peer(id));
    }
  }

  /** Tries until what arrives is taken by a turn that sleeps: others need not be woken. */
  @Test
  void shouldEndTheSleepOfTheThreadThatMakesTheTurn() throws Exception {
    try (Relay relay = Relay.start(script.mesh, Map.of("MESH_RELAY", "0"))) {
      AtomicBoolean hasWoken = new AtomicBoolean();
      Awaitility.await(relay.toString())
          .atMost(30, TimeUnit.SECONDS)
          .until(
              () -> {
                script.arrivals.add(into -> hasWoken.compareAndSet(false, endsOwnWait()));
                return hasWoken.get();
              });
    }
  }

  private boolean endsOwnWait() {
    script.waker = null;
    script.overlay.endOwnWait();
    return script.waker == Thread.currentThread();
  }

  @Test
  void shouldBeTheOnlyOneOfItsMesh() throws Exception {
    Relay first = Relay.start(script.mesh, Map.of("MESH_RELAY", "0"));
    assertThrows(
        IllegalStateException.class, () -> Relay.start(script.mesh, Map.of("MESH_RELAY", "1")));
    first.close();
    Relay.start(script.mesh, Map.of("MESH_RELAY", "1")).close();
  }

  @Test
  void shouldLeaveTheMeshThoughTheTransportCannotDetachIt() throws Exception {
    Relay relay = Relay.start(script.mesh, Map.of("MESH_RELAY", "0"));
    assertEquals(Set.of(RelayServices.END), script.published.keySet());
    script.detaches =
        () -> {
          throw new IllegalStateException("busy");
        };
    assertThrows(IllegalStateException.class, relay::close);
    assertEquals(Set.of(), script.published.keySet());
    assertTrue(
        Thread.getAllStackTraces().keySet().stream()
            .noneMatch(each -> each.getName().equals("mesh-relay-a")));
  }
}
