namespace DroneDelivery.Bench.Broker;

/// <summary>Callers that wait for each answer: how many messages a second brokers keep on disk and remove again.</summary>
internal static class ComparePairs
{
    public static async Task Run(IReadOnlyList<BrokerUnderTest> brokers, CompareBrokers.Plan plan)
    {
        var figures = brokers.ToDictionary(broker => broker, _ => new Figures());
        for (var round = 0; round < Contenders.RoundsToCompile; round++)
        {
            foreach (var broker in brokers)
                await Load(broker, plan)();
        }
        for (var repetition = 0; repetition < plan.Repetitions; repetition++)
        {
            foreach (var broker in Contenders.InTurn(brokers, repetition))
                await figures[broker].AddAsync(broker, plan.Messages, Load(broker, plan));
        }
        Contenders.Print(
            "sends and settlements, both answered",
            [.. brokers.Select(broker => (broker, figures[broker]))]
        );
    }

    private static Func<Task> Load(BrokerUnderTest broker, CompareBrokers.Plan plan) =>
        () => broker.Client.PairsAsync(broker, plan.Properties, plan.Connections, plan.Messages);
}
