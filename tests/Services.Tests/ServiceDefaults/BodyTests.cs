using System.ComponentModel.DataAnnotations;
using System.Net;
using System.Text;
using System.Text.Json;
using System.Text.Json.Serialization;
using DroneDelivery.Contracts;
using DroneDelivery.ServiceDefaults;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.HttpResults;
using Microsoft.Extensions.DependencyInjection;

namespace DroneDelivery.Services.Tests.ServiceDefaults;

public sealed class BodyTests : IAsyncLifetime
{
    private const string Unknown = "Unknown property.",
        WrongType = "Has the wrong type.",
        NoOffset = "Must be a date and time with an offset, such as 2030-01-31T12:00:00Z.";

    private WebApplication _app = null!;
    private HttpClient _http = null!;

    public async ValueTask InitializeAsync()
    {
        _app = LocalServer.Build(builder =>
        {
            builder.AddServiceDefaults("test", ContractJson.Configure);
            builder.Services.AddSingleton<Service>();
        });
        _app.MapServiceDefaults();
        var api = _app.MapApi("/api");
        api.MapPost("/order", (Order order, Service service) => TypedResults.Ok());
        api.MapPost("/items", (List<Item> items) => TypedResults.Ok());
        api.MapPost("/none", (Order? order) => TypedResults.Ok());
        api.MapPost("/parcel", (Parcel parcel) => TypedResults.Ok());
        api.MapGet("/{size}", ([Range(1, 9)] int size, [StringLength(3)] string? name, Service service) =>
            TypedResults.Ok()
        );
        api.MapGet("/defect", Ok () => throw new InvalidOperationException("Thrown by the test."));
        await _app.StartAsync(Cancelled);
        // The client waits for 100 Continue: a request that is rejected by its headers must not send its body into a
        // closing connection.
        _http = new HttpClient(new SocketsHttpHandler { Expect100ContinueTimeout = Timeout.InfiniteTimeSpan })
        {
            BaseAddress = new Uri(_app.Urls.First()),
        };
        _http.DefaultRequestHeaders.ExpectContinue = true;
    }

    public async ValueTask DisposeAsync()
    {
        _http.Dispose();
        await _app.DisposeAsync();
    }

    [Theory]
    [InlineData(
        """{ "count": 0, "first": { "weight": 0 }, "items": [{ "weight": 0 }] }""",
        "count",
        "first.weight",
        "items[0].weight"
    )]
    [InlineData("""{ "count": 1, "items": [{ "weight": 1 }, { "weight": 9 }, { "weight": -1 }] }""", "items[2].weight")]
    [InlineData(
        """{ "count": 1, "items": [{ "weight": 1, "parts": [{ "weight": 1 }, { "weight": 99 }] }] }""",
        "items[0].parts[1].weight"
    )]
    [InlineData("""{ "count": 1, "struct": { "length": 0 } }""", "struct.length")]
    [InlineData("""{ "count": 1, "structs": [{ "length": 1 }, { "length": 0 }] }""", "structs[1].length")]
    [InlineData("""{ "count": 1, "positional": { "height": 0 } }""", "positional.height")]
    [InlineData("""{ "count": 1, "names": ["a", "b", "c"] }""", "names")]
    [InlineData("""{ "count": 1, "items": [], "first": { "weight": 3, "tag": "forbidden" } }""", "first.tag")]
    [InlineData("""{ "count": 13 }""", "$")]
    [InlineData("""[{ "weight": 1 }, { "weight": 0 }]""", "items[1].weight")]
    public async Task Each_invalid_field_is_named_by_its_path(string body, params string[] paths)
    {
        using var response = await _http.SendAsync(
            HttpMethod.Post,
            body.StartsWith('[') ? "/api/items" : "/api/order",
            body
        );

        Assert.Equal(paths, (await response.ReadInvalidFieldsAsync()).Order());
    }

    [Theory]
    [InlineData("/api/order", """{ "count": 1 }""")]
    [InlineData("/api/order", """{ "count": 1, "first": null, "items": [null] }""")]
    [InlineData("/api/order", """{ "count": 1, "bytes": "AAECAw==", "free": { "weight": 0 }, "numbers": [0, 1] }""")]
    [InlineData("/api/none", null)]
    [InlineData("/api/items", "[]")]
    [InlineData("/api/order", """{ "count": 1, "at": "2030-01-31T12:00:00+02:00" }""")]
    [InlineData("/api/order", """{ "count": 1, "at": "2030-01-31T12:00:00.1234567Z" }""")]
    [InlineData("/api/parcel", """{ "length": 1, "newer": true }""")] // A type that only services send.
    [InlineData("/api/order", """{ "count": 1, "struct": { "length": 1, "newer": true } }""")]
    public async Task Valid_body_is_accepted_even_with_unknown_service_fields(string path, string? body)
    {
        using var response = await _http.SendAsync(HttpMethod.Post, path, body);

        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
    }

    [Fact]
    public async Task Message_contains_the_JSON_name_of_the_field()
    {
        using var response = await _http.SendAsync(HttpMethod.Post, "/api/order", """{ "count": 0 }""");

        var errors = (await response.ReadProblemAsync(HttpStatusCode.BadRequest)).GetProperty("errors");
        Assert.Equal("The field count must be between 1 and 100.", errors.GetProperty("count")[0].GetString());
    }

    [Fact]
    public async Task Invalid_route_and_query_parameters_are_named()
    {
        using var response = await _http.SendAsync(HttpMethod.Get, "/api/10?name=long");
        using var right = await _http.SendAsync(HttpMethod.Get, "/api/9?name=abc");

        Assert.Equal(["name", "size"], (await response.ReadInvalidFieldsAsync()).Order());
        Assert.Equal(HttpStatusCode.OK, right.StatusCode);
    }

    [Theory]
    [InlineData("""{ "count": "one" }""", "count", WrongType)]
    [InlineData("""{ "count": 1, "first": { "weight": "much" } }""", "first.weight", WrongType)]
    [InlineData("""{ "count": 1, "first": { "weight": 1, "sealed": 1 } }""", "first.sealed", WrongType)]
    [InlineData("""{ "count": 1, "first": { "weight": 1, "tag": 1 } }""", "first.tag", WrongType)]
    [InlineData("""{ "count": 1, "at": "soon" }""", "at", NoOffset)]
    [InlineData("""{ "count": 1, "at": "2030-01-31" }""", "at", NoOffset)]
    [InlineData("""{ "count": 1, "at": "2030-01-31T12:00" }""", "at", NoOffset)]
    [InlineData("""{ "count": 1, "at": "2030-01-31T12:00:00.5" }""", "at", NoOffset)]
    [InlineData("""{ "count": 1, "at": 7 }""", "at", NoOffset)]
    [InlineData("""{ "count": 1, "first": 7 }""", "first", WrongType)]
    [InlineData("""{ "count": 1, "kind": "Purple" }""", "kind", "Must be one of None, FingerPrint, Picture, Voice.")]
    [InlineData("""{ "count": null }""", "count", WrongType)]
    [InlineData("""{ "count": 1, "names": null }""", "names", "Must not be null.")]
    [InlineData("""{ }""", "count", "Required.")]
    [InlineData("""{ "count": 1, "first": { } }""", "first.weight", "Required.")]
    [InlineData("""{ "count": 1, "conut": 2 }""", "conut", Unknown)]
    [InlineData("""{ "count": 1, "first": { "weight": 1, "weihgt": 2 } }""", "first.weihgt", Unknown)]
    [InlineData("""{ "count": 1, "items": [{ "weight": 1 }, { "tga": 1, "weight": 1 }] }""", "items[1].tga", Unknown)]
    [InlineData("""{ "color": "red", "count": 1 }""", "color", Unknown)]
    public async Task Wrong_type_and_unknown_property_are_named(string body, string path, string message)
    {
        using var response = await _http.SendAsync(HttpMethod.Post, "/api/order", body);

        var problem = await response.ReadProblemAsync(HttpStatusCode.BadRequest);
        var error = Assert.Single(problem.GetProperty("errors").EnumerateObject());
        Assert.Equal((path, message), (error.Name, error.Value[0].GetString()));
    }

    [Fact]
    public async Task Malformed_missing_and_oversized_bodies_are_rejected()
    {
        _http.DefaultRequestHeaders.Accept.ParseAdd("text/plain");
        using var broken = await _http.SendAsync(HttpMethod.Post, "/api/order", """{ "count": """);
        using var missing = await _http.SendAsync(HttpMethod.Post, "/api/order");
        using var text = await _http.SendAsync(HttpMethod.Post, "/api/order", "count=1", "text/plain");
        using var large = await _http.SendAsync(
            HttpMethod.Post,
            "/api/order",
            $$"""{ "count": 1, "free": "{{new string('x', 1024 * 1024)}}" }"""
        );
        using var parameter = await _http.SendAsync(HttpMethod.Get, "/api/small");

        var error = Assert.Single(
            (await broken.ReadProblemAsync(HttpStatusCode.BadRequest)).GetProperty("errors").EnumerateObject()
        );
        Assert.Equal("count", error.Name);
        Assert.DoesNotContain("BytePosition", error.Value[0].GetString(), StringComparison.Ordinal);
        Assert.Equal(["$"], await missing.ReadInvalidFieldsAsync());
        Assert.Equal(HttpStatusCode.UnsupportedMediaType, text.StatusCode);
        Assert.Equal(HttpStatusCode.RequestEntityTooLarge, large.StatusCode);
        Assert.Equal(["size"], await parameter.ReadInvalidFieldsAsync());
    }

    [Theory]
    [InlineData("charset=utf-8", 200)]
    [InlineData("charset=\"utf-8\"", 200)]
    [InlineData("charset=\"US-ASCII\"; version=1", 200)]
    [InlineData("charset=utf8", 415)]
    [InlineData("charset=utf-7", 415)]
    [InlineData("charset=windows-1252", 415)]
    [InlineData("charset=bogus", 415)]
    [InlineData("charset=\"bogus\"", 415)]
    [InlineData("charset=\"\"", 415)]
    [InlineData("charset=", 415)]
    public async Task Charset_is_decoded_or_rejected(string charset, int status)
    {
        using var body = new ByteArrayContent("""{ "count": 1 }"""u8.ToArray());
        body.Headers.TryAddWithoutValidation("Content-Type", $"application/json; {charset}");

        using var response = await _http.SendAsync(HttpMethod.Post, "/api/order", body, []);

        Assert.Equal(status, (int)response.StatusCode);
        if (status == 415)
            await response.ReadProblemAsync(HttpStatusCode.UnsupportedMediaType);
    }

    [Theory]
    [InlineData("identity", 200)]
    [InlineData("gzip", 415)]
    [InlineData("br", 415)]
    [InlineData("x", 415)]
    public async Task Content_encoding_is_rejected_unless_it_changes_nothing(string encoding, int status)
    {
        using var body = new StringContent("""{ "count": 1 }""", Encoding.UTF8, "application/json");
        body.Headers.TryAddWithoutValidation("Content-Encoding", encoding);

        using var response = await _http.SendAsync(HttpMethod.Post, "/api/order", body, []);

        Assert.Equal(status, (int)response.StatusCode);
    }

    [Theory]
    [InlineData("GET", "/nowhere", 404)]
    [InlineData("DELETE", "/api/order", 405)]
    [InlineData("POST", "/api/order", 415)]
    [InlineData("GET", "/api/10", 400)]
    [InlineData("GET", "/api/small", 400)]
    [InlineData("GET", "/api/defect", 500)]
    public async Task Errors_are_problem_details_regardless_of_Accept(string method, string path, int status)
    {
        using var body = method == "POST" ? new StringContent("count=1") : null;

        using var response = await _http.SendAsync(new HttpMethod(method), path, body, ("Accept", "text/html"));

        await response.ReadProblemAsync((HttpStatusCode)status);
    }

    [Fact]
    public async Task Route_that_serves_GET_also_serves_HEAD()
    {
        using var found = await _http.SendAsync(HttpMethod.Head, "/api/9");
        using var invalid = await _http.SendAsync(HttpMethod.Head, "/api/10");

        Assert.Equal((HttpStatusCode.OK, HttpStatusCode.BadRequest), (found.StatusCode, invalid.StatusCode));
        Assert.Empty(await invalid.Content.ReadAsByteArrayAsync(Cancelled));
    }

    private sealed class Service;

    [JsonUnmappedMemberHandling(JsonUnmappedMemberHandling.Disallow)]
    private sealed class Order : IValidatableObject
    {
        [Range(1, 100)]
        public required int Count { get; set; }

        public Item? First { get; set; }

        public IReadOnlyList<Item?>? Items { get; set; }

        public Parcel? Struct { get; set; }

        public Parcel[]? Structs { get; set; }

        public Positional? Positional { get; set; }

        [MaxLength(2)]
        public string[] Names { get; set; } = [];

        public int[]? Numbers { get; set; }

        public byte[]? Bytes { get; set; }

        public JsonElement Free { get; set; }

        public DateTimeOffset? At { get; set; }

        public ConfirmationType Kind { get; set; }

        public IEnumerable<ValidationResult> Validate(ValidationContext validationContext)
        {
            yield return ValidationResult.Success!;
            if (Count == 13)
                yield return new ValidationResult("Brings bad luck.");
        }
    }

    [JsonUnmappedMemberHandling(JsonUnmappedMemberHandling.Disallow)]
    private sealed record Item : IValidatableObject
    {
        [Range(1, 10)]
        public required double Weight { get; init; }

        public string? Tag { get; init; }

        public bool Sealed { get; init; }

        public List<Item>? Parts { get; set; }

        public IEnumerable<ValidationResult> Validate(ValidationContext validationContext)
        {
            if (Tag == "forbidden")
                yield return new ValidationResult("Must be another one.", [nameof(Tag)]);
        }
    }

    private record struct Parcel
    {
        [Range(1, 10)]
        public int Length { get; set; }
    }

    private sealed record Positional([Range(1, 10)] int Height, int Depth = 0);
}
