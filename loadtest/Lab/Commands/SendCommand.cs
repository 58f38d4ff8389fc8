using System.CommandLine;
using System.Text.Json;
using DroneDelivery.Lab.Load;
using DroneDelivery.Lab.Processes;

namespace DroneDelivery.Lab.Commands;

/// <summary><c>lab send</c>: deliveries through the running application, each followed to its end.</summary>
internal static class SendCommand
{
    public const int MaxDeliveries = 100_000;

    public static Command Create()
    {
        var count = Options.WholeNumber("-n", 100, 1, MaxDeliveries, "Deliveries to send.", "--count");
        var callers = Options.WholeNumber("--callers", 20, 1, 1000, "Deliveries under way at a time.");
        var timeout = Options.WholeNumber("--timeout", 60, 1, 3600, "Seconds after which a delivery counts as not delivered.");
        var json = Options.Json("Print the result as JSON.");
        var command = new Command("send", "Sends deliveries to the application of `./lab up`, follows each to its end and prints how long that took.") { count, callers, timeout, json }
            .WithExamples("send", "send -n 200", "send -n 1000 --callers 50 --json");
        command.SetAction(async (parsed, cancellationToken) =>
        {
            var state = LabState.Read() ?? throw new LabException("Nothing is running. Start the application first: `./lab up`.");
            using var http = Loopback.CreateClient();
            var journeys = new Journeys(http, TimeProvider.System, [.. state.Of(Service.Ingestion).Select(it => it.Url)], [.. state.Of(Service.Delivery).Select(it => it.Url)]);
            var report = JourneyReport.Of(await SendAsync(journeys, parsed.GetValue(count), parsed.GetValue(callers), TimeSpan.FromSeconds(parsed.GetValue(timeout)), cancellationToken));
            Console.WriteLine(parsed.GetValue(json) ? JsonSerializer.Serialize(report, JsonSerializerOptions.Web) : report.ToString());
            return report.Delivered == report.Sent ? 0 : 1;
        });
        return command;
    }

    private static async Task<IReadOnlyList<Journey>> SendAsync(Journeys journeys, int count, int callers, TimeSpan patience, CancellationToken cancellationToken)
    {
        try
        {
            return await journeys.SendAsync(count, callers, patience, cancellationToken);
        }
        catch (Exception exception) when (exception is HttpRequestException || (exception is OperationCanceledException && !cancellationToken.IsCancellationRequested))
        {
            throw new LabException($"The application does not answer ({exception.Message.Split('\n')[0]}). `./lab status` shows which replica; `./lab down` and `./lab up` start all of it anew.");
        }
    }
}
