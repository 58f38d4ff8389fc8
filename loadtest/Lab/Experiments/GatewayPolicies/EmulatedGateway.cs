using DroneDelivery.Model;

namespace DroneDelivery.Lab.Experiments;

/// <summary>The emulated gateway under its users, event by event on a clock of its own: nothing waits.</summary>
internal sealed class EmulatedGateway
{
    private const double BinSeconds = 5;

    private readonly GatewaySettings _settings;
    private readonly Random _random;
    private readonly LogNormal _spread, _backend;
    private readonly EventClock<Event> _clock = new();
    private readonly Server[] _servers;
    private readonly int[] _answeredInBin;
    private readonly List<double> _latencies = [];
    private double _busy;
    private int _forwarded;

    private EmulatedGateway(GatewaySettings settings)
    {
        (_settings, _random) = (settings, new Random(settings.Seed));
        _spread = new(-settings.Sigma * settings.Sigma / 2, settings.Sigma);
        _backend = new(Math.Log(settings.BackendMs), settings.BackendSigma);
        _servers = [.. Enumerable.Range(0, settings.Servers).Select(_ => new Server())];
        _answeredInBin = new int[(int)Math.Ceiling(settings.Seconds / BinSeconds)];
    }

    /// <summary>What happens at a time.</summary>
    private readonly record struct Event(EventKind Kind, Request Request);

    /// <param name="User">Whose it is. A user keeps its connection, and so its server.</param>
    /// <param name="Since">When it was sent.</param>
    private readonly record struct Request(int User, double Since = 0, double CpuSeconds = 0, bool IsForwarded = false);

    private enum EventKind
    {
        Send,
        Processed,
        Answer,
    }

    public static GatewayResult Play(GatewaySettings settings, CancellationToken cancellationToken)
    {
        var gateway = new EmulatedGateway(settings);
        for (var user = 0; user < settings.Users; user++)
            gateway._clock.Plan(new(EventKind.Send, new(user)), user / settings.SpawnedPerSecond);
        gateway._clock.Run(settings.Seconds, gateway.Happen, cancellationToken);
        return gateway.Result();
    }

    private bool IsPlateau => _clock.Now >= _settings.PlateauFrom;

    private void Happen(Event it)
    {
        switch (it.Kind)
        {
            case EventKind.Send:
                ServerOf(it.Request).Waiting.Enqueue(New(it.Request.User));
                break;
            case EventKind.Processed:
                Forward(it.Request);
                break;
            case EventKind.Answer:
                Answer(it.Request);
                break;
        }

        Begin(ServerOf(it.Request));
    }

    private Request New(int user)
    {
        var isRefused = _settings.RefusedShare > 0 && _random.NextDouble() < _settings.RefusedShare;
        var mean = isRefused ? _settings.RefusedMs : _settings.AcceptedMs;
        return new(user, _clock.Now, mean * _spread.Next(_random) / 1000, _settings.IsForwarded && !isRefused);
    }

    /// <summary>Requests take the server's CPU in the order in which they came in.</summary>
    private void Begin(Server server)
    {
        while (server.Inside < _settings.MostInside && server.Waiting.TryDequeue(out var request))
        {
            server.Inside++;
            server.FreeAt = Math.Max(_clock.Now, server.FreeAt) + request.CpuSeconds;
            _clock.Plan(new(EventKind.Processed, request), server.FreeAt);
        }
    }

    private void Forward(Request request)
    {
        if (IsPlateau)
        {
            _busy += request.CpuSeconds;
            _forwarded += request.IsForwarded ? 1 : 0;
        }

        _clock.Plan(new(EventKind.Answer, request), _clock.Now + (request.IsForwarded ? _backend.Next(_random) / 1000 : 0));
    }

    private void Answer(Request request)
    {
        ServerOf(request).Inside--;
        _answeredInBin[(int)(_clock.Now / BinSeconds)]++;
        if (IsPlateau)
            _latencies.Add(_clock.Now - request.Since);
        var think = _settings.ThinkLeast + (_settings.ThinkMost - _settings.ThinkLeast) * _random.NextDouble();
        _clock.Plan(new(EventKind.Send, request), _clock.Now + think);
    }

    private Server ServerOf(Request request) => _servers[request.User % _servers.Length];

    private GatewayResult Result()
    {
        var seconds = _settings.Seconds - _settings.PlateauFrom;
        return new(
            _settings, _latencies, _latencies.Count / seconds, _forwarded / seconds, _busy / seconds / _servers.Length,
            [.. _answeredInBin.Select(count => count / BinSeconds)], BinSeconds);
    }

    private sealed class Server
    {
        public Queue<Request> Waiting { get; } = [];

        public int Inside { get; set; }

        public double FreeAt { get; set; }
    }
}
