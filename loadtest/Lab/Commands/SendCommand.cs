using System.CommandLine;
using System.Text.Json;
using System.Text.Json.Serialization;
using DroneDelivery.Lab.Knobs;
using DroneDelivery.Lab.Load;
using DroneDelivery.Lab.Processes;

namespace DroneDelivery.Lab.Commands;

internal sealed record SendArguments
{
    public int Count { get; init; } = 100;

    /// <summary>Deliveries in progress at a time.</summary>
    public int Callers { get; init; } = 20;

    /// <summary>How long a delivery may take.</summary>
    public TimeSpan Patience { get; init; } = TimeSpan.FromSeconds(60);

    /// <summary>Null: Ingestion itself.</summary>
    public string? Through { get; init; }

    public bool Json { get; init; }

    /// <summary>Where deliveries are sent to.</summary>
    /// <exception cref="BadInputException">No service that passes them on.</exception>
    public Service Door() => Through is { } name
        ? Nearest.Named("a service to send through", name, [Service.Gateway], it => it.Name)
        : Service.Ingestion;
}

/// <summary><c>lab send</c>: deliveries through the running application, each followed to its end.</summary>
internal sealed class SendCommand : Verb<SendArguments>
{
    public const int MaxDeliveries = 100_000;

    private readonly Option<int> _count = SharedOptions.WholeNumber("-n", 100, 1, MaxDeliveries, "Deliveries to send.", "--count");

    private readonly Option<int> _callers = SharedOptions.WholeNumber(
        "--callers", 20, 1, 1000, "Deliveries in progress at a time. If none is recorded or fails for a quarter of "
            + "--timeout, the remaining ones are sent without waiting.");

    private readonly Option<int> _timeout =
        SharedOptions.WholeNumber("--timeout", 60, 1, 3600, "Seconds after which a delivery counts as not delivered.");

    private readonly Option<string> _through = new("--through")
    {
        HelpName = "gateway",
        Description = "Send through the gateway of `./lab up --with gateway`.",
    };

    private readonly Option<bool> _json = SharedOptions.Json("Print the result as JSON.");

    public SendCommand()
        : base(
            "send",
            "Sends deliveries to the application of `./lab up`, follows each until it is recorded or has failed, and prints their times "
                + "and stages.")
    {
        Takes(_count, _callers, _timeout, _through, _json);
        HasExamples("send", "send -n 200", "send -n 200 --through gateway", "send -n 1000 --callers 50 --json");
    }

    /// <summary>As a client of the API reads them. A percentile of nothing is <c>"NaN"</c>.</summary>
    internal static JsonSerializerOptions Json { get; } = new(JsonSerializerDefaults.Web)
    {
        NumberHandling = JsonNumberHandling.AllowReadingFromString | JsonNumberHandling.AllowNamedFloatingPointLiterals,
        Converters = { new JsonStringEnumConverter() },
    };

    protected override SendArguments Read(ParseResult parsed) => new()
    {
        Count = parsed.GetValue(_count),
        Callers = parsed.GetValue(_callers),
        Patience = TimeSpan.FromSeconds(parsed.GetValue(_timeout)),
        Through = parsed.GetValue(_through),
        Json = parsed.GetValue(_json),
    };

    public override async Task<ExitCode> RunAsync(SendArguments arguments, LabContext context, CancellationToken cancellationToken)
    {
        var door = arguments.Door();
        var state = LabState.Running();
        using var http = Loopback.CreateClient();
        var journeys = new Journeys(http, context.Time, UrlsOf(door, state, http));
        var isWhole = await SendAsync(journeys, arguments, context, cancellationToken);
        if (journeys.Ended is { Count: > 0 } ended && ended.All(journey => !journey.IsAnswered))
            throw new LabException(NobodyAnswers(ended.First()));
        var report = JourneyReport.Of([.. journeys.Ended], journeys.Sent - journeys.Ended.Count);
        await context.Out.Text.WriteLineAsync(arguments.Json ? JsonSerializer.Serialize(report, Json) : report.ToString());
        if (!isWhole)
            await context.Error.Text.WriteLineAsync($"Stopped: {arguments.Count - journeys.Sent} of {arguments.Count} were not sent.");
        return !isWhole ? ExitCode.Interrupted : report.Delivered == report.Sent ? ExitCode.Held : ExitCode.Failed;
    }

    /// <param name="door">Ingestion, or the gateway, which wants a key.</param>
    /// <param name="state">What runs.</param>
    /// <param name="http">Gets the key.</param>
    private static List<Uri> UrlsOf(Service door, LabState state, HttpClient http)
    {
        var urls = state.Of(door).Select(it => it.Url).ToList();
        if (door != Service.Gateway)
            return urls;
        http.DefaultRequestHeaders.Add(ApplicationPlan.GatewayKeyHeader, ApplicationPlan.GatewayKey);
        return urls.Count > 0
            ? urls
            : throw new LabException("The gateway does not run. Start the application with it: `./lab up --with gateway`.");
    }

    /// <returns>False: it was stopped before its end.</returns>
    private static async Task<bool> SendAsync(
        Journeys journeys, SendArguments arguments, LabContext context, CancellationToken cancellationToken)
    {
        await using var progress = Progress.Every(
            () => $"{journeys.Ended.Count(journey => journey.Failure is null)} of {arguments.Count} delivered, {journeys.Sent} sent…",
            context);
        try
        {
            await journeys.SendAsync(arguments.Count, arguments.Callers, arguments.Patience, cancellationToken);
            return true;
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            return false;
        }
    }

    private static string NobodyAnswers(Journey journey) =>
        $"The application does not answer: {journey.Failure}. "
        + "`./lab status` shows which replica fails; `./lab down` and `./lab up` restart the application.";
}
