using System.CommandLine;
using System.Text.Json;
using System.Text.Json.Serialization;
using DroneDelivery.Lab.Knobs;
using DroneDelivery.Lab.Load;
using DroneDelivery.Lab.Processes;

namespace DroneDelivery.Lab.Commands;

/// <summary><c>lab send</c>: deliveries through the running application, each followed to its end.</summary>
internal static class SendCommand
{
    public const int MaxDeliveries = 100_000;

    /// <summary>Of a verb that Ctrl-C ended.</summary>
    private const int Interrupted = 130;

    /// <summary>As a client of the API reads them. A percentile of nothing is <c>"NaN"</c>.</summary>
    internal static JsonSerializerOptions Json { get; } = new(JsonSerializerDefaults.Web)
    {
        NumberHandling = JsonNumberHandling.AllowReadingFromString | JsonNumberHandling.AllowNamedFloatingPointLiterals,
        Converters = { new JsonStringEnumConverter() },
    };

    public static Command Create()
    {
        var count = Options.WholeNumber("-n", 100, 1, MaxDeliveries, "Deliveries to send.", "--count");
        var callers = Options.WholeNumber(
            "--callers", 20, 1, 1000, "Deliveries in progress at a time; if no more of them complete, the rest is sent without waiting.");
        var timeout = Options.WholeNumber("--timeout", 60, 1, 3600, "Seconds after which a delivery counts as not delivered.");
        var through = new Option<string>("--through")
        {
            HelpName = "gateway",
            Description = "Send through the gateway of `./lab up --with gateway`.",
        };
        var json = Options.Json("Print the result as JSON.");
        var command = new Command(
            "send", "Sends deliveries to the application of `./lab up`, follows each to its end and prints how long that took.")
        {
            count, callers, timeout, through, json,
        };
        command.WithExamples("send", "send -n 200", "send -n 200 --through gateway", "send -n 1000 --callers 50 --json");
        command.SetAction(async (parsed, cancellationToken) =>
        {
            var door = parsed.GetValue(through) is { } name
                ? Nearest.Named("a service to send through", name, [Service.Gateway], it => it.Name)
                : Service.Ingestion;
            var state = LabState.Read() ?? throw new LabException("Nothing is running. Start the application first: `./lab up`.");
            using var http = Loopback.CreateClient();
            var journeys = new Journeys(http, TimeProvider.System, UrlsOf(door, state, http));
            var (wanted, patience) = (parsed.GetValue(count), TimeSpan.FromSeconds(parsed.GetValue(timeout)));
            var isWhole = await SendAsync(journeys, wanted, parsed.GetValue(callers), patience, cancellationToken);
            if (journeys.Ended is { Count: > 0 } ended && ended.All(journey => !journey.IsAnswered))
                throw new LabException(NobodyAnswers(ended.First()));
            var report = JourneyReport.Of([.. journeys.Ended], journeys.Sent - journeys.Ended.Count);
            Console.WriteLine(parsed.GetValue(json) ? JsonSerializer.Serialize(report, Json) : report.ToString());
            if (!isWhole)
                await Console.Error.WriteLineAsync($"Stopped: {wanted - journeys.Sent} of {wanted} were not sent.");
            return !isWhole ? Interrupted : report.Delivered == report.Sent ? 0 : 1;
        });
        return command;
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
        Journeys journeys, int count, int callers, TimeSpan patience, CancellationToken cancellationToken)
    {
        await using var progress = Progress.Every(() =>
            $"{journeys.Ended.Count(journey => journey.Status is not null)} of {count} delivered, {journeys.Sent} sent…");
        try
        {
            await journeys.SendAsync(count, callers, patience, cancellationToken);
            return true;
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            return false;
        }
    }

    private static string NobodyAnswers(Journey journey) =>
        $"The application does not answer: {journey.Failure}. "
        + "`./lab status` shows which replica; `./lab down` and `./lab up` start all of it anew.";
}
