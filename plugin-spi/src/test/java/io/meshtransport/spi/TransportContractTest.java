// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Nested;

/**
 * What every implementation of this SPI promises, one chapter per subject. Extend it, say how to
 * open a node, and all of it runs against yours.
 *
 * <p>Every wait has a deadline and none asserts how fast something is. Random chapters print their
 * seed; {@code -Dmesh.test.seed=N} takes it back.
 */
public abstract class TransportContractTest {
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

  @Nested
  class Connecting extends ConnectChapter {
    @Override
    TransportContractTest contract() {
      return TransportContractTest.this;
    }
  }

  @Nested
  class Handles extends HandleChapter {
    @Override
    TransportContractTest contract() {
      return TransportContractTest.this;
    }
  }

  @Nested
  class Asking extends QueryChapter {
    @Override
    TransportContractTest contract() {
      return TransportContractTest.this;
    }
  }

  @Nested
  class Memory extends MemoryChapter {
    @Override
    TransportContractTest contract() {
      return TransportContractTest.this;
    }
  }

  @Nested
  class Allocation extends AllocationChapter {
    @Override
    TransportContractTest contract() {
      return TransportContractTest.this;
    }
  }

  @Nested
  class PlainBuffers extends PlainBufferChapter {
    @Override
    TransportContractTest contract() {
      return TransportContractTest.this;
    }
  }

  @Nested
  class Messages extends MessageChapter {
    @Override
    TransportContractTest contract() {
      return TransportContractTest.this;
    }
  }

  @Nested
  class Requests extends RequestChapter {
    @Override
    TransportContractTest contract() {
      return TransportContractTest.this;
    }
  }

  @Nested
  class WalkingAway extends UnpolledChannelChapter {
    @Override
    TransportContractTest contract() {
      return TransportContractTest.this;
    }
  }

  @Nested
  class Selective extends SelectiveChapter {
    @Override
    TransportContractTest contract() {
      return TransportContractTest.this;
    }
  }

  @Nested
  class PutAndGet extends OneSidedChapter {
    @Override
    TransportContractTest contract() {
      return TransportContractTest.this;
    }
  }

  @Nested
  class Groups extends GroupChapter {
    @Override
    TransportContractTest contract() {
      return TransportContractTest.this;
    }
  }

  @Nested
  class Deadlines extends DeadlineChapter {
    @Override
    TransportContractTest contract() {
      return TransportContractTest.this;
    }
  }

  @Nested
  class Closing extends CloseChapter {
    @Override
    TransportContractTest contract() {
      return TransportContractTest.this;
    }
  }

  @Nested
  class Endurance extends EnduranceChapter {
    @Override
    TransportContractTest contract() {
      return TransportContractTest.this;
    }
  }

  @Nested
  class RandomTraffic extends TrafficChapter {
    @Override
    TransportContractTest contract() {
      return TransportContractTest.this;
    }
  }
}
