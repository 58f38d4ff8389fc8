using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Predict;

/// <summary>A file of <c>loadtest/prices</c>: what parts of the application cost in Azure. An estimate, to be edited.</summary>
/// <param name="Note">How far it can be relied on.</param>
/// <param name="HoursPerMonth">Of a month of average length.</param>
/// <param name="Cluster">What a cluster costs beside the nodes of the application.</param>
internal sealed record PriceFile(
    string Name,
    DateOnly Date,
    string Region,
    string Currency,
    string Note,
    double HoursPerMonth,
    ClusterPrice Cluster,
    NodePrices Nodes,
    ServiceBusPrices ServiceBus,
    RedisPrices Redis,
    DatabasePrices Database,
    FixedPrice Rest,
    IReadOnlyList<string> LeftOut
)
{
    public const string Default = "azure-2026-11";

    public static PriceFile Load(string name) => LabFile.Read<PriceFile>("prices", name).Valid();

    public PriceFile Valid() =>
        FirstFault() is { } fault ? throw new BadInputException($"prices {Name}: {fault}.") : this;

    /// <summary>What the nodes of the cluster itself are.</summary>
    public NodeSize SystemNode => Nodes.Sizes.First(size => size.Name == Cluster.SystemNodeSize);

    private string? FirstFault() =>
        HoursPerMonth is not (> 0 and <= 744) ? "hoursPerMonth has to be above 0 and at most 744"
        : Nodes.Sizes.Count == 0 || Redis.Sizes.Count == 0 || Database.Sizes.Count == 0
            ? "nodes, redis and database need at least one size each"
        : !IsAscending(Nodes.Sizes.Select(size => (double)size.VCpu)) ? "nodes.sizes have to grow in vCpu"
        : Nodes.Sizes.All(size => size.Name != Cluster.SystemNodeSize)
            ? "cluster.systemNodeSize has to be one of nodes.sizes"
        : !IsAscending(Redis.Sizes.Select(size => size.Gigabytes)) ? "redis.sizes have to grow in gigabytes"
        : ServiceBus.Standard.PerMillionOperations.Any(step => step.FromMillions <= 0)
            ? "fromMillions has to be above 0: the operations before the first step are in the price of the month"
        : !IsAscending(ServiceBus.Standard.PerMillionOperations.Select(step => step.FromMillions))
            ? "serviceBus.standard.perMillionOperations have to grow in fromMillions"
        : Redis.UsableShare is not (> 0 and <= 1) ? "redis.usableShare has to be above 0 and at most 1"
        : ServiceBus.OperationsPerMessage < 1 ? "serviceBus.operationsPerMessage has to be at least 1"
        : AllPrices().Any(price => !double.IsFinite(price) || price < 0) || Cluster.SystemNodes < 0
            ? "no price or number of nodes may be negative"
        : null;

    private IEnumerable<double> AllPrices() =>
        [
            Cluster.PerHour,
            Rest.PerHour,
            ServiceBus.PremiumUnitPerHour,
            ServiceBus.Standard.PerMonth,
            ServiceBus.Standard.ThrottledAtOperationsPerSecond,
            .. Nodes.Sizes.Select(size => size.PerHour),
            .. Redis.Sizes.Select(size => size.PerHour),
            .. Database.Sizes.Select(size => size.PerHour),
            .. ServiceBus.Standard.PerMillionOperations.Select(step => step.Price),
        ];

    private static bool IsAscending(IEnumerable<double> values)
    {
        double[] all = [.. values];
        return all.All(value => value > 0) && all.Zip(all.Skip(1)).All(pair => pair.First < pair.Second);
    }
}

/// <param name="Source">The page that has the price today; as of every other part.</param>
internal sealed record FixedPrice(string Source, string Name, double PerHour);

/// <param name="SystemNodes">Nodes that run the cluster's own pods and nothing of the application.</param>
internal sealed record ClusterPrice(string Source, string Name, double PerHour, int SystemNodes, string SystemNodeSize);

internal sealed record NodePrices(string Source, IReadOnlyList<NodeSize> Sizes);

internal sealed record NodeSize(string Name, int VCpu, double PerHour);

/// <param name="OperationsPerMessage">Send, receive and settle.</param>
internal sealed record ServiceBusPrices(
    string Source,
    double OperationsPerMessage,
    StandardServiceBus Standard,
    double PremiumUnitPerHour
);

/// <param name="ThrottledAtOperationsPerSecond">Above it a namespace refuses: the tier Premium is priced instead.</param>
internal sealed record StandardServiceBus(
    double PerMonth,
    double ThrottledAtOperationsPerSecond,
    IReadOnlyList<OperationsPrice> PerMillionOperations
);

/// <param name="FromMillions">Operations of the month, in millions, after which this price counts.</param>
internal sealed record OperationsPrice(double FromMillions, double Price);

/// <param name="UsableShare">Of the memory; the rest is for Redis itself.</param>
internal sealed record RedisPrices(string Source, double UsableShare, IReadOnlyList<RedisSize> Sizes);

internal sealed record RedisSize(string Name, double Gigabytes, double PerHour);

internal sealed record DatabasePrices(string Source, IReadOnlyList<DatabaseSize> Sizes);

internal sealed record DatabaseSize(string Name, double PerHour);
