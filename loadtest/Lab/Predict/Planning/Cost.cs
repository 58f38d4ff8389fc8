using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Predict;

internal sealed record CostLine(string Part, string What, double PerMonth);

/// <summary>What a setting costs in Azure if it runs the whole month. An estimate: see <see cref="PriceFile"/>.</summary>
internal sealed record Cost(string Currency, IReadOnlyList<CostLine> Lines)
{
    private const double Gigabyte = 1L << 30,
        SecondsPerHour = 3600,
        Million = 1e6;

    /// <summary>An environment without nodes says nothing about them; somewhere it runs.</summary>
    private static readonly DeclaredNodes OneNode = new(1, 2, new(0, 100), new Dictionary<string, double>());

    public double PerMonth => Lines.Sum(line => line.PerMonth);

    /// <param name="plan">The setting. Its length does not matter.</param>
    /// <param name="rate">Messages that come in each second of the month.</param>
    /// <param name="redisBytes">Memory that Redis needs; null: what the setting says.</param>
    public static Cost Of(
        StagePlan plan,
        double rate,
        PriceFile prices,
        string? database = null,
        double? redisBytes = null
    ) =>
        new(
            prices.Currency,
            [
                Nodes(plan, prices),
                new("cluster", prices.Cluster.Name, prices.Cluster.PerHour * prices.HoursPerMonth),
                ServiceBus(rate, prices),
                Redis(redisBytes ?? RedisMemory.Of(plan, rate), prices),
                Database(database, prices),
                new("rest", prices.Rest.Name, prices.Rest.PerHour * prices.HoursPerMonth),
            ]
        );

    /// <summary>The smallest size with as many vCPUs. A vCPU of a still larger node costs what one of the largest does.</summary>
    private static CostLine Nodes(StagePlan plan, PriceFile prices)
    {
        var nodes = (plan.Environment.Nodes ?? OneNode).With(plan.Knobs);
        var size = prices.Nodes.Sizes.FirstOrDefault(size => size.VCpu >= nodes.VCpu) ?? prices.Nodes.Sizes[^1];
        var perHour = size.PerHour * Math.Max(1, nodes.VCpu / (double)size.VCpu);
        var system = prices.SystemNode;
        return new(
            "nodes",
            $"{nodes.Count} × {size.Name}"
                + (prices.Cluster.SystemNodes > 0 ? $" + {prices.Cluster.SystemNodes} × {system.Name}" : ""),
            (nodes.Count * perHour + prices.Cluster.SystemNodes * system.PerHour) * prices.HoursPerMonth
        );
    }

    private static CostLine ServiceBus(double rate, PriceFile prices)
    {
        var (bus, standard) = (prices.ServiceBus, prices.ServiceBus.Standard);
        var perSecond = rate * bus.OperationsPerMessage;
        if (perSecond > standard.ThrottledAtOperationsPerSecond)
            return new("Service Bus", "Premium, one unit", bus.PremiumUnitPerHour * prices.HoursPerMonth);
        var millions = perSecond * SecondsPerHour * prices.HoursPerMonth / Million;
        var steps = standard.PerMillionOperations;
        var operations = steps
            .Index()
            .Sum(step => step.Item.Price * Math.Max(0, Math.Min(millions, Next(step.Index)) - step.Item.FromMillions));
        return new(
            "Service Bus",
            $"Standard, {NumberText.Of(millions)} million operations",
            standard.PerMonth + operations
        );

        double Next(int step) => step + 1 < steps.Count ? steps[step + 1].FromMillions : double.PositiveInfinity;
    }

    /// <summary>The smallest size whose usable memory is enough; several of the largest if none is.</summary>
    private static CostLine Redis(double bytes, PriceFile prices)
    {
        var gigabytes = bytes / Gigabyte;
        var size = prices.Redis.Sizes.FirstOrDefault(size => size.Gigabytes * prices.Redis.UsableShare >= gigabytes)
            ?? prices.Redis.Sizes[^1];
        var count = Math.Max(1, Math.Ceiling(gigabytes / (size.Gigabytes * prices.Redis.UsableShare)));
        return new(
            "Redis",
            $"{(count > 1 ? $"{count} × " : "")}{size.Name} for {NumberText.Of(gigabytes)} GB",
            count * size.PerHour * prices.HoursPerMonth
        );
    }

    private static CostLine Database(string? name, PriceFile prices)
    {
        var size = name is null
            ? prices.Database.Sizes[0]
            : Nearest.Named($"a database of prices {prices.Name}", name, prices.Database.Sizes, size => size.Name);
        return new("database", size.Name, size.PerHour * prices.HoursPerMonth);
    }
}
