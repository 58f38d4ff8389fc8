using DroneDelivery.Model;

namespace DroneDelivery.Articles.HttpScale;

/// <summary>The emulated function app, which scales out by the number of clients, up to its quota.</summary>
internal sealed class FunctionApp(Knobs knobs)
{
    private const double TicksPerSecond = 10,
        GigabytesOfAnInstance = 2,
        LeastBilledSeconds = 1,
        BilledStep = 0.1;

    private const int MostRequests = 50_000_000;

    private readonly LogNormal _coldStart = new(knobs["coldStart.mu"], knobs["coldStart.sigma"]);
    private readonly ClosedNetwork _network = new(NetworkOf(knobs));
    private readonly List<double> _readyAt = [];
    private double _toAdd;

    public int Target { get; } = TargetOf(knobs);

    /// <summary>Time of each instance's first request, in order, in seconds.</summary>
    public IReadOnlyList<double> ReadyAt => [.. _readyAt.Where(time => time < knobs["load.duration"]).Order()];

    public NetworkResult Play(CancellationToken cancellationToken)
    {
        var alwaysReady = Math.Min(knobs.Count("scale.alwaysReady"), Target);
        for (var i = 0; i < alwaysReady; i++)
            Add(coldStart: 0);
        _network.Plan(0, Scale);
        return _network.Run(cancellationToken);
    }

    /// <summary>Returns the time in seconds until this share of instances was ready; NaN if never.</summary>
    public static double SecondsTo(double share, IReadOnlyList<double> readyAt)
    {
        if (readyAt.Count == 0)
            return double.NaN;
        var count = (int)Math.Ceiling(share * readyAt.Count);
        return readyAt[count - 1];
    }

    /// <summary>Returns the billed memory from each instance's first request to the end of the load.</summary>
    public static double GigabyteSeconds(double seconds, IReadOnlyList<double> readyAt)
    {
        var billed = 0.0;
        foreach (var ready in readyAt)
        {
            var steps = Math.Ceiling((seconds - ready) / BilledStep);
            billed += Math.Max(LeastBilledSeconds, steps * BilledStep);
        }
        return GigabytesOfAnInstance * billed;
    }

    private static int TargetOf(Knobs knobs)
    {
        var clients = knobs.Count("load.clients");
        var concurrency = knobs.Count("app.concurrency");
        var wanted = (clients + concurrency - 1) / concurrency;
        return Math.Min(wanted, knobs.Count("scale.quota"));
    }

    private static Network NetworkOf(Knobs knobs)
    {
        var sigma = knobs["request.sigma"];
        var spread = new LogNormal(-sigma * sigma / 2, sigma); // standard error of a mean
        return new(knobs.Count("load.clients"), knobs["load.duration"], knobs.Count("load.seed"))
        {
            Slots = knobs.Count("app.concurrency"),
            IsPooled = true,
            MostRequests = MostRequests,
            SharedCpu = (random, inside) =>
            {
                var mean = knobs["request.base"] + knobs["request.perRequest"] * inside;
                return mean * spread.Next(random) / 1000;
            },
        };
    }

    private void Scale()
    {
        var isFast = _readyAt.Count < knobs.Count("scale.fastUntil");
        _toAdd += knobs[isFast ? "scale.pace" : "scale.laterPace"] / TicksPerSecond;
        while (_toAdd >= 1 && _readyAt.Count < Target)
        {
            Add(_coldStart.Next(_network.Random) / 1000);
            _toAdd--;
        }
        if (_readyAt.Count < Target)
            _network.Plan(_network.Now + 1 / TicksPerSecond, Scale);
    }

    private void Add(double coldStart)
    {
        _readyAt.Add(_network.Now + coldStart);
        _network.AddHost(readyIn: coldStart);
    }
}
