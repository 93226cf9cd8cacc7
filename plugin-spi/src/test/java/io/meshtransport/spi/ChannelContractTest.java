// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import io.meshtransport.spi.TransportException.Reason;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Nested;

/**
 * What every pair of channels promises, one chapter per subject: a one-way channel in {@link
 * TransportContractTest}, one direction of a connection in {@link ConnectionContractTest}.
 *
 * <p>Every wait has a deadline and none asserts how fast something is. Random chapters print their
 * seed; {@code -Dmesh.test.seed=N} takes it back.
 */
public abstract class ChannelContractTest {
  /**
   * Opens one more node that all nodes opened before can reach and be reached by. The test closes
   * it.
   *
   * @param name for logs; not unique over tests
   */
  protected abstract Transport openNode(String name) throws Exception;

  /**
   * MESH_TIMEOUT_MS of the nodes: the longer, the longer the tests that connect to absent peers.
   */
  protected Duration connectTimeout() {
    return Duration.ofSeconds(5);
  }

  /**
   * A handle that differs from a good one only by its version, every checksum put right.
   *
   * @param handle good one of a node of this test; the method's to change
   * @return empty skips the one test that asks
   */
  protected Optional<byte[]> handleOfAnotherVersion(byte[] handle) {
    return Optional.empty();
  }

  /**
   * What the implementation knows to be open now in this JVM, by name: memory regions, queue pairs
   * and the like. Threads and file descriptors are counted anyway.
   */
  protected Map<String, Long> openResources() {
    return Map.of();
  }

  /** How often a test does what it repeats; where each takes long, a part of the usual will do. */
  protected int repetitions(int usual) {
    return usual;
  }

  /** Whether the implementation has connections yet; false skips what needs them. */
  protected boolean hasConnections() {
    return true;
  }

  /** Reasons for which connecting to a node that is gone may fail. */
  protected Set<Reason> noNodeThere() {
    return EnumSet.of(Reason.PEER_UNREACHABLE, Reason.REFUSED, Reason.TIMED_OUT);
  }

  /** Whether closing a transport closes its channels before anything below them is gone. */
  protected boolean closesChannelsFirst() {
    return true;
  }

  /** Whether the implementation has pollers yet; false skips what needs them. */
  protected boolean hasPollers() {
    return hasConnections();
  }

  /** Reasons for which a channel fails at the owner of memory that the peer may not use. */
  protected Set<Reason> accessRefusedAtOwner() {
    return EnumSet.of(Reason.REMOTE_ACCESS);
  }

  /**
   * Says of a poller's descriptor whether it is readable now (poll(2)).
   *
   * @return empty where pollers have no descriptor
   */
  protected Optional<IntPredicate> descriptorPoll() {
    return Optional.empty();
  }

  /** Whether all chapters here need connections. */
  boolean needsConnections() {
    return false;
  }

  /** Opens a channel from one node to another, whose ends the test's thread has. */
  ChannelEnds open(Transport from, Transport to, Listener listener, int memoryBytes)
      throws TransportException {
    return ChannelEnds.between(from, to, listener, memoryBytes);
  }

  @Nested
  class PlainBuffers extends PlainBufferChapter {
    @Override
    ChannelContractTest contract() {
      return ChannelContractTest.this;
    }
  }

  @Nested
  class Messages extends MessageChapter {
    @Override
    ChannelContractTest contract() {
      return ChannelContractTest.this;
    }
  }

  @Nested
  class Requests extends RequestChapter {
    @Override
    ChannelContractTest contract() {
      return ChannelContractTest.this;
    }
  }

  @Nested
  class Waiting extends WaitChapter {
    @Override
    ChannelContractTest contract() {
      return ChannelContractTest.this;
    }
  }

  @Nested
  class WalkingAway extends UnpolledChannelChapter {
    @Override
    ChannelContractTest contract() {
      return ChannelContractTest.this;
    }
  }

  @Nested
  class Selective extends SelectiveChapter {
    @Override
    ChannelContractTest contract() {
      return ChannelContractTest.this;
    }
  }

  @Nested
  class PutAndGet extends OneSidedChapter {
    @Override
    ChannelContractTest contract() {
      return ChannelContractTest.this;
    }
  }

  @Nested
  class Gathering extends GatherChapter {
    @Override
    ChannelContractTest contract() {
      return ChannelContractTest.this;
    }
  }

  @Nested
  class Groups extends GroupChapter {
    @Override
    ChannelContractTest contract() {
      return ChannelContractTest.this;
    }
  }

  @Nested
  class Deadlines extends DeadlineChapter {
    @Override
    ChannelContractTest contract() {
      return ChannelContractTest.this;
    }
  }

  @Nested
  class Closing extends CloseChapter {
    @Override
    ChannelContractTest contract() {
      return ChannelContractTest.this;
    }
  }

  @Nested
  class RandomTraffic extends TrafficChapter {
    @Override
    ChannelContractTest contract() {
      return ChannelContractTest.this;
    }
  }
}
