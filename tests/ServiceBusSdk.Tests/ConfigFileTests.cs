namespace DroneDelivery.ServiceBusSdk.Tests;

public sealed class ConfigFileTests : IDisposable
{
    private readonly OwnFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task Config_file_in_Aspires_format_configures_topics_and_rules()
    {
        Bus.SkipUnlessLocal();
        var cancel = TestContext.Current.CancellationToken;
        var path = Path.Combine(_folder.Path, "Config.json");
        // The format in which Aspire writes rules.
        await File.WriteAllTextAsync(
            path,
            """
            { "UserConfig": { "Namespaces": [ { "Name": "emulatorns", "Queues": [], "Topics": [ {
              "Name": "MassTransit/Fault--Shop/Order--",
              "Properties": { "DuplicateDetectionHistoryTimeWindow": "PT5S" },
              "Subscriptions": [ { "Name": "one", "Properties": {}, "Rules": [ {
                "Name": "red",
                "Properties": {
                  "FilterType": "Sql",
                  "SqlFilter": { "SqlExpression": "color = 'red'", "CompatibilityLevel": 20, "RequiresPreprocessing": false },
                  "CorrelationFilter": {}, "Action": { "SqlExpression": "SET seen = 1", "CompatibilityLevel": 20 } } } ] } ]
            } ] } ] } }
            """,
            cancel
        );
        await using var broker = await BrokerFixture.StartAsync(new() { Port = 0, ConfigFile = path }, cancel);
        await using var client = new ServiceBusClient(broker.ConnectionString);
        await client
            .CreateSender("MassTransit/Fault--Shop/Order--")
            .SendMessagesAsync(
                [
                    new("1") { ApplicationProperties = { ["color"] = "blue" } },
                    new("2") { ApplicationProperties = { ["color"] = "red" } },
                ],
                cancel
            );

        var received = await client
            .CreateReceiver("MassTransit/Fault--Shop/Order--", "one")
            .ReceiveMessageAsync(cancellationToken: cancel);

        Assert.Equal(
            ("2", 1L),
            (received.Body.ToString(), Convert.ToInt64(received.ApplicationProperties["seen"], null))
        );
    }
}
