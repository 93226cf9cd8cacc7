// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import org.junit.jupiter.api.Nested;

/**
 * What every implementation of this SPI promises, one chapter per subject. Extend it, say how to
 * open a node, and all of it runs against yours; extend {@link ConnectionContractTest} as well.
 */
public abstract class TransportContractTest extends ChannelContractTest {
  @Nested
  class Connecting extends ConnectChapter {
    @Override
    ChannelContractTest contract() {
      return TransportContractTest.this;
    }
  }

  @Nested
  class Handles extends HandleChapter {
    @Override
    ChannelContractTest contract() {
      return TransportContractTest.this;
    }
  }

  @Nested
  class Asking extends QueryChapter {
    @Override
    ChannelContractTest contract() {
      return TransportContractTest.this;
    }
  }

  @Nested
  class Memory extends MemoryChapter {
    @Override
    ChannelContractTest contract() {
      return TransportContractTest.this;
    }
  }

  @Nested
  class Allocation extends AllocationChapter {
    @Override
    ChannelContractTest contract() {
      return TransportContractTest.this;
    }
  }

  @Nested
  class Endurance extends EnduranceChapter {
    @Override
    ChannelContractTest contract() {
      return TransportContractTest.this;
    }
  }

  @Nested
  class Connections extends ConnectionChapter {
    @Override
    ChannelContractTest contract() {
      return TransportContractTest.this;
    }
  }

  @Nested
  class Gone extends GoneChapter {
    @Override
    ChannelContractTest contract() {
      return TransportContractTest.this;
    }
  }

  @Nested
  class MultiReceives extends MultiReceiveChapter {
    @Override
    ChannelContractTest contract() {
      return TransportContractTest.this;
    }
  }

  @Nested
  class Depths extends DepthChapter {
    @Override
    ChannelContractTest contract() {
      return TransportContractTest.this;
    }
  }

  @Nested
  class Notices extends NoticeChapter {
    @Override
    ChannelContractTest contract() {
      return TransportContractTest.this;
    }
  }

  @Nested
  class Unexpected extends UnexpectedChapter {
    @Override
    ChannelContractTest contract() {
      return TransportContractTest.this;
    }
  }

  @Nested
  class Pollers extends PollerChapter {
    @Override
    ChannelContractTest contract() {
      return TransportContractTest.this;
    }
  }

  @Nested
  class UnpolledPollers extends UnpolledPollerChapter {
    @Override
    ChannelContractTest contract() {
      return TransportContractTest.this;
    }
  }
}
