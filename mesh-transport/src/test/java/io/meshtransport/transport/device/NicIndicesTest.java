// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.VerbsException;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class NicIndicesTest {
  private final NicIndices indices = new NicIndices(0);
  private final Set<Integer> taken = new HashSet<>();

  private int open(String key) throws VerbsException {
    int index = indices.free(key, taken);
    indices.use(key, index);
    taken.add(index);
    return index;
  }

  @Test
  void shouldNumberWhatComesInTurn() throws Exception {
    assertEquals(0, open("soft/1/eth0"));
    assertEquals(1, open("soft/1/eth1"));
    assertEquals(2, indices.bound());
  }

  @Test
  void shouldGiveAnInterfaceThatComesBackTheIndexItHad() throws Exception {
    open("soft/1/eth0");
    open("soft/1/eth1");
    taken.clear();
    assertEquals(1, open("soft/1/eth1"));
    assertEquals(2, open("soft/1/eth2"), "0 is eth0's as long as there is another");
    assertEquals(0, open("soft/1/eth0"));
  }

  @Test
  void shouldGiveAwayAnIndexThatNothingUsesOnceAllWereUsed() throws Exception {
    for (int i = 0; i < NicIndices.MAX_NICS; i++) {
      open("soft/1/eth" + i);
    }
    taken.remove(7);
    assertEquals(7, open("soft/1/other"));
    taken.remove(9);
    assertEquals(9, open("soft/1/eth7"), "its own is another's now");
    assertEquals(NicIndices.MAX_NICS, indices.bound());
  }

  @Test
  void shouldRefuseOneMoreThanThereAreIndices() {
    Set<Integer> all = IntStream.range(0, NicIndices.MAX_NICS).boxed().collect(Collectors.toSet());
    VerbsException why = assertThrows(VerbsException.class, () -> indices.free("soft/1/eth0", all));
    assertEquals(Errno.ENOMEM, why.errno());
    assertTrue(why.getMessage().contains("256 NICs are open already"), why.getMessage());
  }
}
