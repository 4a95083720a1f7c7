"""The zoo's keeper: reads the programs' headers, runs them, records and scores their verdicts."""
