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
        var count = AtLeastOne(new Option<int>("-n", "--count") { HelpName = "N", Description = "Deliveries to send.", DefaultValueFactory = _ => 100 }, MaxDeliveries);
        var callers = AtLeastOne(new Option<int>("--callers") { HelpName = "N", Description = "Deliveries under way at a time.", DefaultValueFactory = _ => 20 }, 1000);
        var timeout = AtLeastOne(new Option<int>("--timeout") { HelpName = "S", Description = "Seconds after which a delivery counts as not delivered.", DefaultValueFactory = _ => 60 }, 3600);
        var json = Options.Json("Print the result as JSON.");
        var command = new Command("send", "Sends deliveries to the application of `./lab up`, follows each to its end and prints how long that took.") { count, callers, timeout, json }
            .WithExamples("send", "send -n 200", "send -n 1000 --callers 50 --json");
        command.SetAction(async (parsed, cancellationToken) =>
        {
            var state = LabState.Read() ?? throw new LabException("Nothing is running. Start the application first: `./lab up`.");
            using var http = Loopback.CreateClient();
            var journeys = new Journeys(http, TimeProvider.System, [.. state.Of(Service.Ingestion).Select(it => it.Url)], [.. state.Of(Service.Delivery).Select(it => it.Url)]);
            var report = await journeys.SendAsync(parsed.GetValue(count), parsed.GetValue(callers), TimeSpan.FromSeconds(parsed.GetValue(timeout)), cancellationToken);
            Console.WriteLine(parsed.GetValue(json) ? JsonSerializer.Serialize(report, JsonSerializerOptions.Web) : report.ToString());
            return report.Delivered == report.Sent ? 0 : 1;
        });
        return command;
    }

    private static Option<int> AtLeastOne(Option<int> option, int max)
    {
        option.Validators.Add(result =>
        {
            if (result.GetValueOrDefault<int>() is var value && (value < 1 || value > max))
                result.AddError($"{option.Name} has to be from 1 to {max}.");
        });
        return option;
    }
}
