using System.Text.Json;
using DroneDelivery.Delivery;
using DroneDelivery.DroneScheduler;
using DroneDelivery.Ingestion;
using DroneDelivery.Package;
using Microsoft.AspNetCore.OpenApi;
using Microsoft.Extensions.DependencyInjection;

namespace DroneDelivery.Services.Tests.ServiceDefaults;

/// <summary>The content of <c>/openapi/v1.json</c> for each service, from which clients are generated.</summary>
public sealed class DescriptionTests : WithFolder
{
    [Theory]
    [InlineData("ingestion", 4)]
    [InlineData("package", 8)]
    [InlineData("dronescheduler", 7)]
    [InlineData("delivery", 10)]
    public async Task Each_operation_has_a_unique_id_a_summary_and_one_tag(string service, int count)
    {
        var document = await DocumentOfAsync(service);

        Assert.Equal(service, document.GetProperty("info").GetProperty("title").GetString());
        var operations = document
            .GetProperty("paths")
            .EnumerateObject()
            .SelectMany(path => path.Value.EnumerateObject())
            .Select(operation => operation.Value)
            .ToList();
        Assert.Equal(count, operations.Count);
        Assert.All(operations, operation => Assert.Matches("^([A-Z][a-z]+)+$", Text(operation, "operationId")));
        Assert.Distinct(operations.Select(operation => Text(operation, "operationId")));
        Assert.All(operations, operation => Assert.Matches("^[A-Z][^.]+[.]$", Text(operation, "summary")));
        Assert.All(operations, operation => Assert.Single(operation.GetProperty("tags").EnumerateArray()));
    }

    [Theory]
    [InlineData("/api/deliveryrequests", "post", "202 400 401 403 408 413 415 429 503 504")]
    [InlineData("/api/deliveryrequests/{id}", "get", "200 202 400 401 403 404 409 429 503 504")]
    [InlineData("/api/deliveryrequests/{id}", "patch", "202 400 401 403 404 408 409 413 415 429 503 504")]
    [InlineData("/api/deliveryrequests/{id}", "delete", "202 400 401 403 404 409 429 503 504")]
    public async Task Ingestion_describes_its_status_codes(string route, string verb, string answers)
    {
        var document = await DocumentOfAsync("ingestion");

        var responses = document.GetProperty("paths").GetProperty(route).GetProperty(verb).GetProperty("responses");
        Assert.Equal(answers, string.Join(" ", responses.EnumerateObject().Select(answer => answer.Name).Order()));
    }

    [Theory]
    [InlineData("ingestion")]
    [InlineData("package")]
    [InlineData("dronescheduler")]
    [InlineData("delivery")]
    public async Task Schemas_are_open_and_times_have_a_format(string service)
    {
        var schemas = (await DocumentOfAsync(service)).GetProperty("components").GetProperty("schemas");

        Assert.DoesNotContain("\"additionalProperties\": false", schemas.GetRawText(), StringComparison.Ordinal);
        Assert.DoesNotContain("\"additionalProperties\":false", schemas.GetRawText(), StringComparison.Ordinal);
        if (schemas.TryGetProperty("DeliveryRequest", out var request))
        {
            var time = request.GetProperty("properties").GetProperty("pickupTime");
            Assert.Equal("date-time", time.GetProperty("format").GetString());
        }
    }

    [Fact]
    public async Task Conditional_GET_is_described()
    {
        var paths = (await DocumentOfAsync("package")).GetProperty("paths");

        var responses = paths.GetProperty("/api/packages/{id}").GetProperty("get").GetProperty("responses");
        Assert.True(responses.TryGetProperty("304", out _));
    }

    [Theory]
    [InlineData("package", "PackageSize", "Small Medium Large")]
    [InlineData("delivery", "ConfirmationType", "None FingerPrint Picture Voice")]
    public async Task Enumeration_is_described_by_its_names(string service, string type, string names)
    {
        var document = await DocumentOfAsync(service);

        var values = document.GetProperty("components").GetProperty("schemas").GetProperty(type).GetProperty("enum");
        Assert.Equal(names, string.Join(" ", values.EnumerateArray().Select(value => value.GetString())));
    }

    [Fact]
    public async Task Document_is_generated_once_for_concurrent_requests()
    {
        var made = 0;
        await using var service = ServiceHost<PackageStore>.Start(Folder.SqliteSettings, add: services =>
            services.Configure<OpenApiOptions>("v1", options => options.AddDocumentTransformer(
                    (_, _, _) =>
                    {
                        Interlocked.Increment(ref made);
                        return Task.CompletedTask;
                    }
                ))
        );

        var answers = await Task.WhenAll(
            Enumerable.Range(0, 4).Select(_ => service.Http.SendAsync(HttpMethod.Get, "/openapi/v1.json"))
        );

        Assert.Equal(1, made);
        Assert.All(answers, answer =>
            Assert.Equal("application/json; charset=utf-8", answer.Content.Headers.ContentType?.ToString())
        );
    }

    private static string Text(JsonElement operation, string member) =>
        operation.TryGetProperty(member, out var text) ? text.GetString()! : $"no {member}";

    private Task<JsonElement> DocumentOfAsync(string service) =>
        service switch
        {
            "ingestion" => DocumentOfAsync<DeliveryQueue>(QueueUnderTest.Nowhere),
            "package" => DocumentOfAsync<PackageStore>(Folder.SqliteSettings),
            "dronescheduler" => DocumentOfAsync<AssignmentStore>(Folder.SqliteSettings),
            _ => DocumentOfAsync<DeliveryStore>([]),
        };

    private static async Task<JsonElement> DocumentOfAsync<TService>(Dictionary<string, string?> settings)
        where TService : class
    {
        await using var host = ServiceHost<TService>.Start(settings);
        return await host.Http.GetAsync<JsonElement>("/openapi/v1.json");
    }
}
