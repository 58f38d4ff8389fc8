using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Model;

namespace DroneDelivery.Lab.Experiments;

/// <summary>The emulated gateway under its users, event by event on a clock of its own: nothing waits.</summary>
internal sealed class EmulatedGateway(KnobValues knobs)
{
    private readonly RequestCost _cost = RequestCost.Of(knobs);
    private readonly Random _random = new((int)knobs["load.seed"]);
    private readonly LogNormal _spread =
            new(-knobs["request.sigma"] * knobs["request.sigma"] / 2, knobs["request.sigma"]),
        _backend = new(Math.Log(knobs["backend.latency"]), knobs["backend.sigma"]);
    private readonly EventClock _clock = new();
    private readonly Server[] _servers =
    [
        .. Enumerable.Range(0, (int)knobs["gateway.servers"]).Select(_ => new Server()),
    ];
    private readonly AnswerBins _bins = new(knobs["load.duration"]);
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
        _bins.Add(_clock.Now);
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
            knobs,
            _latencies,
            _latencies.Count / seconds,
            _forwarded / seconds,
            _busy / seconds / _servers.Length,
            _bins.PerSecond("answered")
        );
    }

    private sealed class Server
    {
        public Queue<Request> Waiting { get; } = [];

        public int Inside { get; set; }

        public double FreeAt { get; set; }
    }
}

/// <summary>What came of the load, at its plateau where nothing else is said.</summary>
/// <param name="Latencies">Seconds of each answer, as its user sees it.</param>
/// <param name="Busy">Share of the servers' CPU: 0–1.</param>
/// <param name="Answered">A second, from the first user on.</param>
internal sealed record GatewayResult(
    KnobValues Knobs,
    IReadOnlyList<double> Latencies,
    double PerSecond,
    double ForwardedPerSecond,
    double Busy,
    ExperimentLine Answered
)
{
    private readonly double[] _sorted = [.. Latencies.Order()];

    public double MeanSeconds => _sorted.Length == 0 ? double.NaN : _sorted.Average();

    /// <summary>What the closed loop asks of the mean: users / throughput − thinking.</summary>
    public double SecondsByLaw => (int)Knobs["load.users"] / PerSecond - ThinkMean;

    /// <summary>Seconds, between an answer and the user's next request.</summary>
    public double ThinkMean => (EmulatedGateway.ThinkLeastOf(Knobs) + Knobs["load.thinkMost"]) / 2;

    /// <returns>Seconds.</returns>
    public double Percentile(double share) =>
        _sorted.Length == 0 ? double.NaN : _sorted[(int)((_sorted.Length - 1) * share)];

    /// <summary>What the users of each moment would send if no answer took any time.</summary>
    public ExperimentLine Wanted =>
        new(
            "if nobody waited",
            Answered.Seconds,
            [
                .. Answered.Seconds.Select(second =>
                    Math.Min((int)Knobs["load.users"], second * Knobs["load.spawn"]) / ThinkMean
                ),
            ]
        );
}
