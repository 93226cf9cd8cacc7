// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportContractTest;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.verbs.DescriptorPoll;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** What transports promise, between nodes whose only path is a relay. */
@Tag("slow")
@EnabledIfSystemProperty(
    named = "mesh.test.long",
    matches = "true",
    disabledReason =
        "RelayedConnectionContractTest does it for connections, and this takes minutes;"
            + " -Dmesh.test.long=true runs both")
class RelayedTransportContractTest extends TransportContractTest {
  private static RelayStar star;

  @BeforeAll
  static void openStar() throws TransportException {
    star = new RelayStar(10);
  }

  @AfterAll
  static void closeStar() {
    star.close();
  }

  @Override
  protected Transport openNode(String name) throws TransportException {
    return star.openNode(name);
  }

  /** A relay has connections and memory of the transport, so it is closed before. */
  @Override
  protected boolean closesChannelsFirst() {
    return false;
  }

  /** Where no cable leads to a node anyway, no path is left once it has gone. */
  @Override
  protected Set<Reason> noNodeThere() {
    Set<Reason> reasons = EnumSet.copyOf(super.noNodeThere());
    reasons.add(Reason.NO_ROUTE);
    return reasons;
  }

  @Override
  protected Optional<IntPredicate> descriptorPoll() {
    return Optional.of(DescriptorPoll::isReadable);
  }

  @Override
  protected Duration connectTimeout() {
    return Duration.ofSeconds(10);
  }
}
