using DroneDelivery.Model;

namespace DroneDelivery.Lab.Experiments;

/// <summary>The emulated gateway under its users, event by event on a clock of its own: nothing waits.</summary>
internal sealed class EmulatedGateway(KnobValues knobs)
{
    private const double BinSeconds = 5;

    private readonly RequestCost _cost = RequestCost.Of(knobs);
    private readonly Random _random = new((int)knobs["load.seed"]);
    private readonly LogNormal
        _spread = new(-knobs["request.sigma"] * knobs["request.sigma"] / 2, knobs["request.sigma"]),
        _backend = new(Math.Log(knobs["backend.latency"]), knobs["backend.sigma"]);
    private readonly EventClock _clock = new();
    private readonly Server[] _servers = [.. Enumerable.Range(0, (int)knobs["gateway.servers"]).Select(_ => new Server())];
    private readonly int[] _answeredInBin = new int[(int)Math.Ceiling(knobs["load.duration"] / BinSeconds)];
    private readonly List<double> _latencies = [];
    private readonly double _plateauFrom = Math.Max(0, knobs["load.duration"] - knobs["load.plateau"]);
    private readonly double _refusedShare = knobs["request.validate"] > 0 ? knobs["request.invalid"] : 0;
    private double _busy;
    private int _forwarded;

    /// <param name="User">Whose it is. A user keeps its connection, and so its server.</param>
    private readonly record struct Request(int User, double Since = 0, double CpuSeconds = 0, bool IsForwarded = false);

    public GatewayResult Play(CancellationToken cancellationToken)
    {
        for (var user = 0; user < (int)knobs["load.users"]; user++)
            PlanSend(user, user / knobs["load.spawn"]);
        _clock.Run(knobs["load.duration"], cancellationToken);
        return Result();
    }

    private bool IsPlateau => _clock.Now >= _plateauFrom;

    private void PlanSend(int user, double at) => _clock.Plan(at, () =>
    {
        var request = New(user);
        ServerOf(request).Waiting.Enqueue(request);
        Begin(ServerOf(request));
    });

    private Request New(int user)
    {
        var isRefused = _refusedShare > 0 && _random.NextDouble() < _refusedShare;
        var mean = isRefused ? _cost.RefusedMs : _cost.AcceptedMs;
        return new(user, _clock.Now, mean * _spread.Next(_random) / 1000, knobs["request.forward"] > 0 && !isRefused);
    }

    /// <summary>Requests take the server's CPU in the order in which they came in.</summary>
    private void Begin(Server server)
    {
        while (server.Inside < (int)knobs["gateway.concurrency"] && server.Waiting.TryDequeue(out var request))
        {
            server.Inside++;
            server.FreeAt = Math.Max(_clock.Now, server.FreeAt) + request.CpuSeconds;
            _clock.Plan(server.FreeAt, () => Forward(request));
        }
    }

    private void Forward(Request request)
    {
        if (IsPlateau)
        {
            _busy += request.CpuSeconds;
            _forwarded += request.IsForwarded ? 1 : 0;
        }

        _clock.PlanIn(request.IsForwarded ? _backend.Next(_random) / 1000 : 0, () => Answer(request));
    }

    private void Answer(Request request)
    {
        ServerOf(request).Inside--;
        _answeredInBin[(int)(_clock.Now / BinSeconds)]++;
        if (IsPlateau)
            _latencies.Add(_clock.Now - request.Since);
        var least = ThinkLeastOf(knobs);
        var think = least + (knobs["load.thinkMost"] - least) * _random.NextDouble();
        PlanSend(request.User, _clock.Now + think);
        Begin(ServerOf(request));
    }

    /// <summary>Seconds.</summary>
    public static double ThinkLeastOf(KnobValues knobs) => Math.Min(knobs["load.thinkLeast"], knobs["load.thinkMost"]);

    private Server ServerOf(Request request) => _servers[request.User % _servers.Length];

    private GatewayResult Result()
    {
        var seconds = knobs["load.duration"] - _plateauFrom;
        return new(
            knobs, _latencies, _latencies.Count / seconds, _forwarded / seconds, _busy / seconds / _servers.Length,
            [.. _answeredInBin.Select(count => count / BinSeconds)], BinSeconds);
    }

    private sealed class Server
    {
        public Queue<Request> Waiting { get; } = [];

        public int Inside { get; set; }

        public double FreeAt { get; set; }
    }
}
