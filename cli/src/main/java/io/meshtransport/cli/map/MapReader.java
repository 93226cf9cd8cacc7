// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli.map;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.meshtransport.neighbours.map.MeshMap;
import java.io.IOException;

/** Reads what {@link MeshMap#json()} of this version or another has written. */
public final class MapReader {
  private static final ObjectMapper JSON =
      new ObjectMapper().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

  private MapReader() {}

  /**
   * The map in a text.
   *
   * @throws IOException if it is none
   */
  public static MeshMap read(String json) throws IOException {
    return JSON.readValue(json, MeshMap.class);
  }
}
