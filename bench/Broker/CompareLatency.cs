namespace DroneDelivery.Bench.Broker;

/// <summary>How long messages take at rates below what brokers can do, as users have them.</summary>
internal static class CompareLatency
{
    private static readonly (string Name, double Share)[] Percentiles = [("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999)];

    /// <param name="rates">Messages a second.</param>
    public static async Task Run(
        IReadOnlyList<BrokerUnderTest> brokers,
        CompareBrokers.Plan plan,
        int[] rates,
        int seconds
    )
    {
        foreach (var rate in rates)
        {
            var figures = brokers.ToDictionary(broker => broker, _ => Percentiles.Select(_ => new Sample()).ToArray());
            for (var round = -Contenders.RoundsToCompile; round < plan.Repetitions; round++)
            {
                foreach (var broker in Contenders.InTurn(brokers, round + Contenders.RoundsToCompile))
                {
                    var count = rate * (round < 0 ? 1 : seconds);
                    var sorted = await new OpenLoad(rate, count).RunAsync(broker, plan.Receivers[0], plan.Properties);
                    if (round >= 0)
                        Add(figures[broker], sorted);
                }
            }
            Console.WriteLine(
                $"{rate:N0} messages/s, {plan.Receivers[0]} receivers with prefetch 100; milliseconds from due to received"
            );
            foreach (var broker in brokers)
            {
                var shown = Percentiles.Zip(figures[broker], (percentile, sample) =>
                    $"{percentile.Name} {sample.Show("N2")}"
                );
                Console.WriteLine($"  {broker.Name, -36} {string.Join(", ", shown)}");
            }
        }
    }

    private static void Add(Sample[] samples, double[] sorted)
    {
        foreach (var (sample, (_, share)) in samples.Zip(Percentiles))
            sample.Add(sorted[(int)Math.Ceiling(share * sorted.Length) - 1]);
    }
}
