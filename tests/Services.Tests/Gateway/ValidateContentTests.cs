using System.Net;
using System.Text;

namespace DroneDelivery.Services.Tests.Gateway;

/// <summary>What the policy lets pass, what it says of the rest, and what it does while it does not know.</summary>
public sealed class ValidateContentTests
{
    private const string Document = """
        {
          "components": {
            "schemas": {
              "Thing": {
                "type": "object",
                "required": ["name"],
                "additionalProperties": false,
                "properties": {
                  "name": { "type": "string", "maxLength": 5 },
                  "parts": {
                    "type": "array",
                    "items": { "type": "object", "properties": { "weight": { "type": "number", "minimum": 1 } } }
                  }
                }
              },
              "Odd": { "type": "object", "if": { "type": "string" } }
            }
          }
        }
        """;

    private static readonly Dictionary<string, string?> Things =
        GatewayUnderTest.Route("POST", "/api/things", ("ValidateContent:Schema", "Thing"), ("ValidateContent:MaxBytes", "100"));

    [Theory]
    [InlineData("application/json")]
    [InlineData("Application/JSON")]
    [InlineData("application/json; charset=utf-8")]
    [InlineData("application/json; charset=\"UTF-8\"")]
    public async Task A_valid_body_reaches_Ingestion_as_it_was_sent(string contentType)
    {
        await using var gateway = await StartAsync();

        using var answer = await PostAsync(gateway, """{ "name" : "a\u0062c", "parts":[{"weight":1.50}] }""", contentType);

        Assert.Equal(HttpStatusCode.OK, answer.StatusCode);
        var received = Assert.Single(gateway.Backend.Requests);
        Assert.Equal("""{ "name" : "a\u0062c", "parts":[{"weight":1.50}] }""", Encoding.UTF8.GetString(received.Body));
        Assert.Equal(contentType, received.Headers["Content-Type"]);
    }

    [Theory]
    [InlineData("""{"name":7}""", "name")]
    [InlineData("""{}""", "name")]
    [InlineData("""{"name":"abcdef"}""", "name")]
    [InlineData("""{"name":"a","name":"b"}""", "name")]
    [InlineData("""{"name":"a","nmae":"b"}""", "nmae")]
    [InlineData("""{"name":"a","parts":[{"weight":1},{"weight":0}]}""", "parts[1].weight")]
    [InlineData("""{"name":"a"} 7""", "$")]
    [InlineData("""{"name":"a",}""", "$")]
    [InlineData("""{"name":"a"/**/}""", "$")]
    [InlineData("""{"name":"a""", "$")]
    [InlineData("""{"name":"\ud800"}""", "$")]
    [InlineData("[]", "$")]
    [InlineData("null", "$")]
    [InlineData("", "$")]
    public async Task A_body_that_is_wrong_is_refused_and_the_field_is_named(string body, string field)
    {
        await using var gateway = await StartAsync();

        using var answer = await PostAsync(gateway, body);

        Assert.Equal([field], await answer.ReadInvalidFieldsAsync());
        Assert.Empty(gateway.Backend.Requests);
    }

    [Fact]
    public async Task The_connection_is_still_good_after_a_refusal()
    {
        await using var gateway = await StartAsync();
        using var connection = await RawConnection.OpenAsync(gateway.Address);
        const string head = "POST /api/things HTTP/1.1\r\nHost: gateway\r\nContent-Type: application/json\r\n";

        await connection.SendAsync(
            $"{head}Content-Length: 2\r\n\r\n{{}}{head}Connection: close\r\nContent-Length: 12\r\n\r\n{{\"name\":\"a\"}}");

        var answers = await connection.ReadToEndAsync();
        Assert.StartsWith("HTTP/1.1 400 ", answers, StringComparison.Ordinal);
        Assert.Contains("HTTP/1.1 200 ", answers, StringComparison.Ordinal);
        Assert.DoesNotContain(gateway.Logs.Lines, line => line.StartsWith("Error", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_body_that_is_too_large_is_refused_chunked_or_not(bool chunked)
    {
        await using var gateway = await StartAsync();

        using var answer = await PostAsync(gateway, $$"""{"name":"a"{{new string(' ', 100)}}}""", chunked: chunked);

        var problem = await answer.ReadProblemAsync(HttpStatusCode.RequestEntityTooLarge);
        Assert.Contains("100 bytes", problem.GetProperty("detail").GetString(), StringComparison.Ordinal);
        Assert.Empty(gateway.Backend.Requests);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_body_of_the_largest_size_passes_chunked_or_not(bool chunked)
    {
        await using var gateway = await StartAsync();
        var body = """{"name":"a"}""".PadRight(100);

        using var answer = await PostAsync(gateway, body, chunked: chunked);

        Assert.Equal(HttpStatusCode.OK, answer.StatusCode);
        Assert.Equal(body, Encoding.UTF8.GetString(Assert.Single(gateway.Backend.Requests).Body));
    }

    [Theory]
    [InlineData("text/plain", null)]
    [InlineData("application/json; charset=utf-16", null)]
    [InlineData("application/json; charset=latin1", null)]
    [InlineData("application/jsonx", null)]
    [InlineData("", null)]
    [InlineData("application/json", "gzip")]
    public async Task A_body_of_another_type_is_refused(string contentType, string? encoding)
    {
        await using var gateway = await StartAsync();

        using var answer = await PostAsync(gateway, """{"name":"a"}""", contentType, encoding: encoding);

        await answer.ReadProblemAsync(HttpStatusCode.UnsupportedMediaType);
        Assert.Empty(gateway.Backend.Requests);
    }

    [Fact]
    public async Task Another_type_can_be_asked_for()
    {
        await using var gateway = await StartAsync(
            Things.And("Gateway:Routes:0:ValidateContent:ContentType", "application/merge-patch+json"));

        using var right = await PostAsync(gateway, """{"name":"a"}""", "application/merge-patch+json");
        using var wrong = await PostAsync(gateway, """{"name":"a"}""");

        Assert.Equal((HttpStatusCode.OK, HttpStatusCode.UnsupportedMediaType), (right.StatusCode, wrong.StatusCode));
    }

    [Fact]
    public async Task Until_Ingestion_has_described_its_bodies_they_are_refused()
    {
        await using var gateway = await GatewayUnderTest.StartAsync(Things);

        using var early = await PostAsync(gateway, """{"name":"a"}""");
        var problem = await early.ReadProblemAsync(HttpStatusCode.ServiceUnavailable);
        Assert.Equal("urn:drone-delivery:schema-unavailable", problem.GetProperty("type").GetString());
        Assert.Equal("1", early.Headers.RetryAfter?.ToString());
        using var unready = await gateway.Http.SendAsync(HttpMethod.Get, "/health/ready");
        Assert.Equal(HttpStatusCode.ServiceUnavailable, unready.StatusCode);
        Assert.Empty(gateway.Backend.Requests);

        gateway.Backend.Document = Document;
        await gateway.ReadyAsync();
        using var late = await PostAsync(gateway, """{"name":"a"}""");
        Assert.Equal(HttpStatusCode.OK, late.StatusCode);
    }

    [Theory]
    [InlineData("Odd", "'if' is not known")]
    [InlineData("Nothing", "no schema 'Nothing'")]
    public async Task A_schema_that_cannot_be_used_lets_nothing_pass_and_is_told(string schema, string cause)
    {
        await using var gateway = await GatewayUnderTest.StartAsync(
            Things.And("Gateway:Routes:0:ValidateContent:Schema", schema), Document);

        await Eventually.TrueAsync(() => gateway.Logs.Lines.Any(line => line.Contains(cause, StringComparison.Ordinal)));
        using var answer = await PostAsync(gateway, "{}");

        await answer.ReadProblemAsync(HttpStatusCode.ServiceUnavailable);
    }

    [Fact]
    public async Task A_new_description_is_used_and_one_that_cannot_be_is_not()
    {
        await using var gateway = await StartAsync(Things.And("Gateway:SchemaRefresh", "00:00:00.100"));

        gateway.Backend.Document = Document.Replace("\"maxLength\": 5", "\"maxLength\": 6", StringComparison.Ordinal);
        await Eventually.TrueAsync(async () => await StatusAsync(gateway, """{"name":"abcdef"}""") == HttpStatusCode.OK);
        gateway.Backend.Document = "nonsense";
        await Eventually.TrueAsync(() => gateway.Logs.Lines.Any(line => line.Contains("Ingestion's document", StringComparison.Ordinal)));

        Assert.Equal(HttpStatusCode.OK, await StatusAsync(gateway, """{"name":"abcdef"}"""));
        await gateway.ReadyAsync();
    }

    private static async Task<GatewayUnderTest> StartAsync(Dictionary<string, string?>? settings = null)
    {
        var gateway = await GatewayUnderTest.StartAsync(settings ?? Things, Document);
        await gateway.ReadyAsync();
        return gateway;
    }

    private static async Task<HttpStatusCode> StatusAsync(GatewayUnderTest gateway, string body)
    {
        using var answer = await PostAsync(gateway, body);
        return answer.StatusCode;
    }

    private static async Task<HttpResponseMessage> PostAsync(
        GatewayUnderTest gateway, string body, string contentType = "application/json", string? encoding = null, bool chunked = false)
    {
        using var content = new ByteArrayContent(Encoding.UTF8.GetBytes(body));
        content.Headers.TryAddWithoutValidation("Content-Type", contentType);
        if (encoding is not null)
            content.Headers.ContentEncoding.Add(encoding);
        using var request = new HttpRequestMessage(HttpMethod.Post, "/api/things") { Content = content };
        request.Headers.TransferEncodingChunked = chunked;
        return await gateway.Http.SendAsync(request, TestContext.Current.CancellationToken);
    }
}
