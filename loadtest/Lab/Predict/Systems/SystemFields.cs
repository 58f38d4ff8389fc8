namespace DroneDelivery.Lab.Predict;

/// <summary>The numbers of a system that a search may change, by the names that <c>--set</c> has for them.</summary>
internal static class SystemFields
{
    public const string Nodes = "nodes.count";

    private const string Replicas = ".replicas",
        Calls = ".maxConcurrentCalls";

    /// <summary>What costs most comes first.</summary>
    public static IEnumerable<string> Of(SystemFile it) =>
        [
            .. it.Nodes is null ? Array.Empty<string>() : [Nodes],
            .. it
                .Services.Where(service => (it.Nodes, service.Value.Receives) is not (null, null))
                .Select(service => service.Key + Replicas),
            .. it.Receivers.Select(service => CallsOf(service.Key)),
        ];

    public static string CallsOf(string? service) => service + Calls;

    public static bool IsCalls(string field) => field.EndsWith(Calls, StringComparison.Ordinal);

    public static int Number(this SystemFile it, string field) =>
        field == Nodes ? it.Nodes!.Count
        : IsCalls(field) ? it.Services[field[..^Calls.Length]].MaxConcurrentCalls
        : it.Services[field[..^Replicas.Length]].Replicas;

    public static SystemFile With(this SystemFile it, string field, int number) =>
        field == Nodes ? it with { Nodes = it.Nodes! with { Count = number } }
        : IsCalls(field)
            ? it.With(field[..^Calls.Length], service =>
                service with
                {
                    MaxConcurrentCalls = number,
                    PrefetchCount = service.PrefetchCount == 0 ? 0 : Math.Max(service.PrefetchCount, number),
                }
            )
        : it.With(field[..^Replicas.Length], service => service with { Replicas = number });

    /// <summary>Tells settings of one system apart.</summary>
    public static string Key(this SystemFile it) => string.Join(' ', Of(it).Select(field => it.Number(field)));

    /// <summary>The load that a rate takes, for as long as a search needs it.</summary>
    public static SystemFile WithRate(this SystemFile it, double rate)
    {
        var load = it.Load!;
        if (load.PerSecond is not null)
        {
            return it with
            {
                Load = load with
                {
                    PerSecond = rate,
                    Duration = Math.Min(load.Duration, Math.Max(Shortest, Most / rate)),
                },
            };
        }

        var users = (int)Math.Ceiling(rate * load.RequestEveryMilliseconds / 1000 - 1e-9);
        var ramp = Math.Max(0, users - load.StartUsers) / load.StepUsers * load.StepSeconds;
        return it with { Load = load with { MaxUsers = users, Duration = Math.Max(load.Duration, ramp + Plateau) } };
    }

    // Seconds, the first two; messages.
    private const double Plateau = 150,
        Shortest = 60,
        Most = 100_000;

    private static SystemFile With(this SystemFile it, string service, Func<SystemService, SystemService> change) =>
        it with
        {
            Services = it.Services.ToDictionary(
                pair => pair.Key,
                pair => pair.Key == service ? change(pair.Value) : pair.Value
            ),
        };
}
