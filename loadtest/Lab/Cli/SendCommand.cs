using System.CommandLine;
using System.Text.Json;
using System.Text.Json.Serialization;
using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Load;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Cli;

internal sealed class SendCommand : Verb
{
    public const int MaxDeliveries = 100_000;

    private readonly Option<int> _count = OptionOf.WholeNumber(
        "-n",
        100,
        1,
        MaxDeliveries,
        "Deliveries to send.",
        "--count"
    );

    private readonly Option<int> _callers = OptionOf.WholeNumber(
        "--callers",
        20,
        1,
        1000,
        "Deliveries in progress at a time. If none is recorded or fails for a quarter of "
            + "--timeout, the remaining ones are sent without waiting."
    );

    private readonly Option<int> _timeout = OptionOf.WholeNumber(
        "--timeout",
        60,
        1,
        3600,
        "Seconds after which a delivery counts as not delivered."
    );

    private readonly Option<string?> _through = OptionOf.Text(
        "--through",
        "gateway",
        "Send through the gateway of `./lab up --with gateway`."
    );

    private readonly Option<bool> _json = OptionOf.Json("Print the result as JSON.");

    public SendCommand()
        : base(
            "send",
            "Sends deliveries to the application of `./lab up`, follows each until it is recorded or has failed, and prints their times "
                + "and stages."
        )
    {
        Takes(_count, _callers, _timeout, _through, _json);
        HasExamples("send", "send -n 200", "send -n 200 --through gateway", "send -n 1000 --callers 50 --json");
    }

    /// <summary>As a client of the API reads them. A percentile of nothing is <c>"NaN"</c>.</summary>
    internal static JsonSerializerOptions Json { get; } =
        new(JsonSerializerDefaults.Web)
        {
            NumberHandling =
                JsonNumberHandling.AllowReadingFromString | JsonNumberHandling.AllowNamedFloatingPointLiterals,
            Converters = { new JsonStringEnumConverter() },
        };

    protected override async Task<ExitCode> RunAsync()
    {
        var door = Get(_through) is { } name
            ? Nearest.Named("a service to send through", name, [Service.Gateway], it => it.Name)
            : Service.Ingestion;
        var count = Get(_count);
        var state = LabState.Running();
        using var http = Loopback.CreateClient();
        var journeys = new Journeys(http, Clock, UrlsOf(door, state, http));
        var isWhole = await SendAsync(journeys, count);
        if (journeys.Ended is { Count: > 0 } ended && ended.All(journey => !journey.IsAnswered))
            throw new LabException(NobodyAnswers(ended.First()));
        var report = JourneyReport.Of([.. journeys.Ended], journeys.Sent - journeys.Ended.Count);
        await Out.Text.WriteLineAsync(Get(_json) ? JsonSerializer.Serialize(report, Json) : report.ToString());
        if (!isWhole)
            await Error.WriteLineAsync($"Stopped: {count - journeys.Sent} of {count} were not sent.");
        return !isWhole ? ExitCode.Interrupted
            : report.Delivered == report.Sent ? ExitCode.Held
            : ExitCode.Failed;
    }

    private static List<Uri> UrlsOf(Service door, LabState state, HttpClient http)
    {
        var urls = state.Of(door).Select(it => it.Url).ToList();
        if (door != Service.Gateway)
            return urls;
        http.DefaultRequestHeaders.Add(ApplicationPlan.GatewayKeyHeader, ApplicationPlan.GatewayKey);
        return urls.Count > 0
            ? urls
            : throw new LabException(
                "The gateway does not run. Start the application with it: `./lab up --with gateway`."
            );
    }

    /// <returns>False: it was stopped before its end.</returns>
    private async Task<bool> SendAsync(Journeys journeys, int count)
    {
        await using var progress = Progress.Every(
            () =>
                $"{journeys.Ended.Count(journey => journey.Failure is null)} of {count} delivered, {journeys.Sent} sent…",
            Context
        );
        try
        {
            await journeys.SendAsync(count, Get(_callers), TimeSpan.FromSeconds(Get(_timeout)), Left);
            return true;
        }
        catch (OperationCanceledException) when (Left.IsCancellationRequested)
        {
            return false;
        }
    }

    private static string NobodyAnswers(Journey journey) =>
        $"The application does not answer: {journey.Failure}. "
        + "`./lab status` shows which replica fails; `./lab down` and `./lab up` restart the application.";
}
