// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.logging.log4j.LogManager;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** That the watch of the other tests would bark. */
class LogWatchTest {
  @Test
  void shouldNoticeABufferThatIsLost() {
    try (LogWatch watch = new LogWatch()) {
      loseABuffer();
      Awaitility.await()
          .atMost(TestNode.PATIENCE_S, TimeUnit.SECONDS)
          .until(() -> !watch.alarms().isEmpty());
      assertTrue(watch.alarms().get(0).contains("LEAK"), watch.alarms().toString());
    }
  }

  private static void loseABuffer() {
    ByteBuf lost = UnpooledByteBufAllocator.DEFAULT.directBuffer(1);
    lost.writeByte(1);
  }

  @Test
  void shouldNoticeATraceAtAnyLevel() {
    try (LogWatch watch = new LogWatch()) {
      LogManager.getLogger(LogWatchTest.class).error("on purpose", new Exception("on purpose"));
      assertTrue(List.copyOf(watch.alarms()).toString().contains("on purpose"));
    }
  }
}
