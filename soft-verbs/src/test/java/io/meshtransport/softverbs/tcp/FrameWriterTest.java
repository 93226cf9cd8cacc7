// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.nic.Gid;
import io.meshtransport.softverbs.rc.StreamAddress;
import io.meshtransport.softverbs.rc.StreamListener;
import io.meshtransport.softverbs.rc.WireProof;
import io.meshtransport.verbs.WireKey;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FrameWriterTest {
  /** The calls that the stream's listener gets. */
  private final List<String> told = new ArrayList<>();

  private TcpStream stream() {
    Gid gid = Gid.ofBytes(new byte[Gid.LENGTH_BYTES]);
    StreamAddress ends = new StreamAddress(gid, 1, 2, gid, 3, 4);
    StreamListener user =
        (StreamListener)
            Proxy.newProxyInstance(
                StreamListener.class.getClassLoader(),
                new Class<?>[] {StreamListener.class},
                (proxy, method, arguments) -> {
                  told.add(method.getName());
                  return null;
                });
    return new TcpStream(
        null, user, ends, new WireProof(WireKey.NONE, ends, true), new StreamTable());
  }

  /** When a peer's host loses power, the own kernel's buffer has space for a while. */
  @Test
  void shouldNotTreatSpaceInTheOwnKernelAsASignOfLife() {
    FrameWriter writer = new FrameWriter(new Pool<>(FrameBatch::new, 1));
    writer.add(stream());
    writer.onWritable();
    assertEquals(List.of(), told);
  }
}
