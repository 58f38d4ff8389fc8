using System.Text.Json;
using DroneDelivery.Delivery;
using DroneDelivery.DroneScheduler;
using DroneDelivery.Ingestion;
using DroneDelivery.Package;
using DroneDelivery.Tracking;

namespace DroneDelivery.Services.Tests.ServiceDefaults;

/// <summary>Every route in <c>/openapi/v1.json</c> has a name and a sentence, so that a client generated from it reads well.</summary>
public sealed class OperationsTests : IDisposable
{
    internal static readonly Dictionary<string, string?> NoBroker = new()
    {
        ["ServiceBus:ConnectionString"] = "Endpoint=sb://127.0.0.1:1;SharedAccessKeyName=a;SharedAccessKey=b;UseDevelopmentEmulator=true",
    };

    private readonly TemporaryFolder _folder = new();

    [Theory]
    [InlineData("ingestion", 4)]
    [InlineData("package", 8)]
    [InlineData("dronescheduler", 7)]
    [InlineData("delivery", 10)]
    [InlineData("tracking", 2)]
    public async Task Each_operation_has_an_id_of_its_own_a_summary_and_one_tag(string service, int count)
    {
        var document = await DocumentOfAsync(service);

        var operations = document.GetProperty("paths").EnumerateObject().SelectMany(path => path.Value.EnumerateObject())
            .Select(operation => operation.Value).ToList();
        Assert.Equal(count, operations.Count);
        Assert.All(operations, operation => Assert.Matches("^([A-Z][a-z]+)+$", Text(operation, "operationId")));
        Assert.Distinct(operations.Select(operation => Text(operation, "operationId")));
        Assert.All(operations, operation => Assert.Matches("^[A-Z][^.]+[.]$", Text(operation, "summary")));
        Assert.All(operations, operation => Assert.Single(operation.GetProperty("tags").EnumerateArray()));
    }

    public void Dispose() => _folder.Dispose();

    private static string Text(JsonElement operation, string member) =>
        operation.TryGetProperty(member, out var text) ? text.GetString()! : $"no {member}";

    private Task<JsonElement> DocumentOfAsync(string service) => service switch
    {
        "ingestion" => DocumentOfAsync<DeliveryQueue>(NoBroker),
        "package" => DocumentOfAsync<PackageStore>(_folder.SqliteSettings),
        "dronescheduler" => DocumentOfAsync<AssignmentStore>(_folder.SqliteSettings),
        "delivery" => DocumentOfAsync<DeliveryStore>([]),
        _ => DocumentOfAsync<Hit>(new() { ["Tracking:Writer"] = "None" }),
    };

    private static async Task<JsonElement> DocumentOfAsync<TService>(Dictionary<string, string?> settings) where TService : class
    {
        await using var host = ServiceHost<TService>.Start(settings);
        using var http = host.CreateClient();
        return await http.GetAsync<JsonElement>("/openapi/v1.json");
    }
}
