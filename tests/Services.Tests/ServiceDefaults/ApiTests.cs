using System.Net;
using Azure.Core;
using Azure.Identity;
using DroneDelivery.Package;
using DroneDelivery.Testing;
using Microsoft.Extensions.DependencyInjection;

namespace DroneDelivery.Services.Tests.ServiceDefaults;

public sealed class ApiTests : WithFolder
{
    private static readonly Uri Nowhere = new("http://127.0.0.1:1");

    [Fact]
    public async Task Conditional_GET_returns_304_when_the_ETag_matches()
    {
        await using var service = ServiceHost<PackageStore>.Start(Folder.SqliteSettings);
        (await service.Http.PutAsync("/api/packages/p1", Packages.Sample)).Dispose();
        using var first = await service.Http.SendAsync(HttpMethod.Get, "/api/packages/p1");
        var tag = first.Headers.ETag!.Tag;

        Assert.Equal((HttpStatusCode.NotModified, ""), await GetAsync(service.Http, tag));
        Assert.Equal(HttpStatusCode.NotModified, (await GetAsync(service.Http, $"\"another\", W/{tag}")).Status);
        Assert.Equal(HttpStatusCode.NotModified, (await GetAsync(service.Http, "*")).Status);
        Assert.Equal(HttpStatusCode.OK, (await GetAsync(service.Http, "\"another\"")).Status);
        Assert.Equal(HttpStatusCode.OK, (await GetAsync(service.Http, "nonsense")).Status);
        (await service.Http.PutAsync("/api/packages/p1", Packages.Sample with { Weight = 2 })).Dispose();
        Assert.Equal(HttpStatusCode.OK, (await GetAsync(service.Http, tag)).Status);
    }

    [Fact]
    public async Task API_page_is_optional_and_loads_nothing_from_elsewhere()
    {
        await using var off = ServiceHost<PackageStore>.Start(Folder.SqliteSettings);
        await using var on = ServiceHost<PackageStore>.Start(Folder.SqliteSettings.And("ApiPage:Enabled", "true"));

        using var absent = await off.Http.SendAsync(HttpMethod.Get, "/scalar");
        var page = await on.Http.GetStringAsync(new Uri("/scalar/", UriKind.Relative), Cancelled);
        using var script = await on.Http.SendAsync(HttpMethod.Get, "/scalar/scalar.js");

        Assert.Equal(HttpStatusCode.NotFound, absent.StatusCode);
        Assert.Contains("openapi/v1.json", page, StringComparison.Ordinal);
        Assert.DoesNotContain("https://", page, StringComparison.Ordinal);
        Assert.Equal(HttpStatusCode.OK, script.StatusCode);
    }

    [Fact]
    public async Task Back_end_that_validates_tokens_accepts_those_of_services()
    {
        await using var service = ServiceHost<PackageStore>.Start(Folder.SqliteSettings.And(Tokens.Settings));
        await using var caller = Caller(service.Address, _ => Tokens.OfService("workflow"));

        using var refused = await service.Http.SendAsync(HttpMethod.Get, "/api/packages/p1");
        await refused.ReadProblemAsync(HttpStatusCode.Unauthorized);
        foreach (var open in new[] { "/health/live", "/openapi/v1.json" })
            Assert.Equal(HttpStatusCode.OK, await service.Http.StatusAsync(open));
        Assert.Equal(HttpStatusCode.NotFound, await caller.Http.StatusAsync("/api/packages/p1"));
    }

    [Fact]
    public async Task Call_without_a_token_fails_and_names_the_option()
    {
        await using var caller = Caller(Nowhere, _ =>
            throw new AuthenticationFailedException("The identity is not available.")
        );

        var failure = await Assert.ThrowsAsync<HttpRequestException>(caller.CallAsync);

        Assert.Contains("CallerToken:Scope", failure.Message, StringComparison.Ordinal);
        Assert.Contains("The identity is not available.", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Wait_for_a_token_ends_with_the_attempt_timeout()
    {
        var (time, attempt, isAsked) = (new ManualTimeProvider(), TimeSpan.FromMinutes(1), false);
        string WaitForEver(CancellationToken cancellationToken)
        {
            Volatile.Write(ref isAsked, true);
            cancellationToken.WaitHandle.WaitOne();
            throw new OperationCanceledException(cancellationToken);
        }
        await using var caller = Caller(Nowhere, WaitForEver, time);

        var call = Task.Run(caller.CallAsync, Cancelled);
        await Eventually.TrueAsync(() => Volatile.Read(ref isAsked));
        time.Advance(attempt);

        var failure = await Assert.ThrowsAsync<HttpRequestException>(() => call);
        Assert.Contains("Resilience:AttemptTimeout", failure.Message, StringComparison.Ordinal);
    }

    private static async Task<(HttpStatusCode Status, string Body)> GetAsync(HttpClient http, string tags)
    {
        using var response = await http.SendAsync(HttpMethod.Get, "/api/packages/p1", null, ("If-None-Match", tags));
        return (response.StatusCode, await response.Content.ReadAsStringAsync(Cancelled));
    }

    private static Caller Caller(Uri address, Func<CancellationToken, string> token, TimeProvider? time = null) =>
        new(
            new()
            {
                ["CallerToken:Scope"] = "api://drone-delivery/.default",
                ["Resilience:AttemptTimeout"] = "00:01:00",
                ["services:backend:http:0"] = address.GetLeftPart(UriPartial.Authority),
            },
            time ?? TimeProvider.System,
            [],
            services =>
                services.AddSingleton<TokenCredential>(
                    new Identity((_, cancel) => new(token(cancel), DateTimeOffset.MaxValue))
                )
        );
}
