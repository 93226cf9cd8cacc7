// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.endpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.spi.ConnectOptions;
import org.junit.jupiter.api.Test;

class WorkRequestIdTest {
  @Test
  void shouldReadBackEveryKindWithEveryIndexInUse() {
    for (int kind = WorkRequestId.PART; kind <= WorkRequestId.KEEPALIVE; kind++) {
      for (int index = 0;
          index <= QueueDepths.duplex(ConnectOptions.MAX_REQUESTS).receives();
          index++) {
        long id = WorkRequestId.of(kind, index);

        assertEquals(kind, WorkRequestId.kind(id));
        assertEquals(index, WorkRequestId.index(id));
      }
    }
  }
}
