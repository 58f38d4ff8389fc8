namespace DroneDelivery.Lab.Forecasts;

/// <summary>Messages as a liquid: what comes in waits until a Workflow takes it.</summary>
internal sealed record Flow
{
    private const int Steps = 2000;

    /// <summary>Whether all users are active for a while.</summary>
    public bool HasPlateau => double.IsFinite(Plateau);

    /// <summary>Completed a second, once all users are active.</summary>
    public required double Plateau { get; init; }

    /// <summary>Completed until the load ended.</summary>
    public required double Completed { get; init; }

    /// <summary>Messages left when the load ended.</summary>
    public required double Backlog { get; init; }

    /// <summary>Percent, once all users are active.</summary>
    public required double BusiestNode { get; init; }

    /// <summary>The most that could be completed a second.</summary>
    public required double Limit { get; init; }

    /// <summary>Longest wait of a message at a receiver that ends before the observation does, in locks: locks are lost from 1 on.</summary>
    public required double WaitPerLock { get; init; }

    /// <summary>What would be completed in a cache without limit, for each delivery that fits.</summary>
    public required double CompletedPerRoom { get; init; }

    /// <param name="setting">The knobs.</param>
    /// <param name="atStart">Messages in the queue.</param>
    /// <param name="observed">Seconds after the load.</param>
    public static Flow Of(Setting setting, double atStart, double observed)
    {
        var (profile, end) = (setting.Profile, setting.Profile.DurationSeconds);
        var step = end / Steps;
        double backlog = atStart, completed = 0, onPlateau = 0, plateauSeconds = 0, wait = 0, backlogAtEnd = 0, limit = 0, underLoad = 0;
        var rates = new Dictionary<double, double>();
        for (var at = 0.0; at < end + observed; at += step)
        {
            if (at < end)
                (backlogAtEnd, underLoad) = (backlog, completed);
            var incoming = setting.Incoming(profile.UsersAt(at));
            if (!rates.TryGetValue(incoming, out var rate))
                rates[incoming] = rate = setting.Rate(incoming);
            limit = Math.Max(limit, rate);
            if (at + setting.Lock < end + observed)
                wait = Math.Max(wait, WaitOf(setting, backlog, rate));
            var done = Math.Min(backlog + incoming * step, rate * step);
            (backlog, completed) = (backlog + incoming * step - done, completed + done);
            if (at >= profile.PlateauStart && at < end)
                (onPlateau, plateauSeconds) = (onPlateau + done, plateauSeconds + step);
        }

        var plateau = onPlateau / plateauSeconds;
        // What a handler has counts as not settled.
        var inProgress = Math.Min(setting.Incoming(profile.UsersAt(end - step)), limit) * setting.MessageSeconds;
        return new()
        {
            Plateau = plateau,
            Completed = Math.Min(underLoad, setting.Room),
            Backlog = Math.Max(backlogAtEnd, inProgress),
            BusiestNode = setting.BusiestNode(setting.Incoming(profile.MaxUsers), plateau),
            Limit = limit,
            WaitPerLock = wait / setting.Lock,
            CompletedPerRoom = underLoad / setting.Room,
        };
    }

    /// <summary>Seconds that the last message of the buffers waits for its handler, whose lock is renewed.</summary>
    private static double WaitOf(Setting setting, double backlog, double rate)
    {
        var held = Math.Min(setting.Workflows * setting.Prefetch, backlog) - setting.Workflows * setting.Calls / 2;
        return held <= 0 ? 0 : held / rate;
    }
}
