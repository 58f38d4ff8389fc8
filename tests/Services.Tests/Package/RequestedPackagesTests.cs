using System.Net;
using System.Net.Http.Json;
using DroneDelivery.Contracts;
using DroneDelivery.Package;

namespace DroneDelivery.Services.Tests.Package;

public sealed class RequestedPackagesTests : WithPackages
{
    [Fact]
    public async Task Compensated_request_is_rejected_unless_its_attempt_is_newer()
    {
        await UndoAsync("r1", attempt: 1);

        Assert.Equal("failed", await ConflictAsync("r1"));
        Assert.Equal("failed", await ConflictAsync("r1", attempt: 1));
        Assert.Equal(HttpStatusCode.NotFound, await StatusAsync());
        await AddAsync("r1", HttpStatusCode.Created, attempt: 2);
        await AddAsync("r1", HttpStatusCode.OK, attempt: 2);
    }

    [Fact]
    public async Task Tombstone_of_a_request_is_kept_for_90_days()
    {
        await UndoAsync("r1");
        Service.Time.Jump(TimeSpan.FromDays(2));
        await UndoAsync("r2");

        Service.Time.Jump(TimeSpan.FromDays(88.1));
        // When the older request may start again, a round of the purge has completed.
        await Eventually.TrueAsync(async () =>
        {
            Service.Time.Advance(TimeSpan.FromMinutes(1));
            using var response = await PutAsync("r1");
            return response.StatusCode == HttpStatusCode.Created;
        });

        Assert.Equal("failed", await ConflictAsync("r2"));
    }

    [Fact]
    public async Task Late_compensation_keeps_the_result_of_a_newer_attempt()
    {
        await AddAsync("r1", HttpStatusCode.Created);
        await AddAsync("r1", HttpStatusCode.OK, attempt: 1);

        await UndoAsync("r1");

        Assert.Equal(HttpStatusCode.OK, await StatusAsync());
        await UndoAsync("r1", attempt: 1);
        Assert.Equal(HttpStatusCode.NotFound, await StatusAsync());
    }

    [Fact]
    public async Task Shared_package_is_kept_until_the_last_request_is_compensated()
    {
        await AddAsync("r1", HttpStatusCode.Created);
        await AddAsync("r2", HttpStatusCode.OK);

        await UndoAsync("r1");
        Assert.Equal(HttpStatusCode.OK, await StatusAsync());

        for (var i = 0; i < 2; i++)
            await UndoAsync("r2");
        Assert.Equal(HttpStatusCode.NotFound, await StatusAsync());
    }

    [Theory]
    [InlineData("PUT", 3)]
    [InlineData("PUT", 2.5)] // Unchanged content.
    [InlineData("PATCH", 3)]
    [InlineData("PUT", 2.5, false)]
    public async Task Package_stored_or_changed_by_its_owner_is_kept(
        string method,
        double weight,
        bool afterTheRequest = true
    )
    {
        if (afterTheRequest)
            await AddAsync("r1", HttpStatusCode.Created);
        using var changed =
            method == "PUT"
                ? await Http.PutAsync("/api/packages/p1", Packages.Sample with { Weight = weight })
                : await Http.PatchAsync("/api/packages/p1", new PackagePatch { Weight = weight });
        await AddAsync("r1", HttpStatusCode.OK); // A replay of the same request, although the weight may differ by now.

        await UndoAsync("r1");

        Assert.Equal(weight, (await Http.GetAsync<PackageDetails>("/api/packages/p1")).Weight);
    }

    [Fact]
    public async Task Package_with_another_size_or_weight_is_rejected()
    {
        await AddAsync("r1", HttpStatusCode.Created);

        Assert.Equal("package-differs", await ConflictAsync("r2", Packages.Sample with { Weight = 30 }));
        Assert.Equal("package-differs", await ConflictAsync("r2", Packages.Sample with { Size = PackageSize.Large }));
        Assert.Equal(
            "package-of-another-owner",
            await ConflictAsync("r2", Packages.Sample with { OwnerId = "owner-2" })
        );
        await AddAsync("r2", HttpStatusCode.OK, Packages.Sample with { Tag = "plates" });
        Assert.Equal("books", (await Http.GetAsync<PackageDetails>("/api/packages/p1")).Tag);
    }

    [Fact]
    public async Task Package_used_by_more_than_a_hundred_requests_is_kept_forever()
    {
        for (var i = 0; i <= 100; i++)
            await AddAsync($"r{i}", i == 0 ? HttpStatusCode.Created : HttpStatusCode.OK);

        for (var i = 0; i <= 100; i++)
            await UndoAsync($"r{i}");

        Assert.Equal(HttpStatusCode.OK, await StatusAsync());
    }

    [Theory]
    [InlineData("?ifAbsent=true&for=no%20id", "for")]
    [InlineData("?ifAbsent=true&for=r1&attempt=-1", "attempt")]
    [InlineData("?for=r1", "for")]
    [InlineData("?ifAbsent=false&for=r1", "for")]
    [InlineData("?ifAbsent=true&for=r1", "for", "If-Match")] // A request does not specify a version.
    [InlineData("?ifAbsent=true&for=r1", "for", "If-None-Match")]
    public async Task Invalid_query_is_rejected(string query, string field, string? condition = null)
    {
        using var package = JsonContent.Create(Packages.Sample, options: ContractJson.Options);

        using var response = await Http.SendAsync(
            HttpMethod.Put,
            "/api/packages/p1" + query,
            package,
            condition is null ? [] : [(condition, "*")]
        );

        Assert.Equal([field], await response.ReadInvalidFieldsAsync());
        Assert.Equal(HttpStatusCode.NotFound, await StatusAsync());
    }

    [Fact]
    public async Task Package_exists_exactly_while_a_request_uses_it()
    {
        await using var replica = ServiceHost<PackageStore>.Start(Service.Settings);
        using var other = replica.CreateClient();
        var random = new Random(1);
        for (var round = 0; round < 200; round++)
        {
            var package = $"together-{round}";
            var calls = Enumerable
                .Range(0, 4)
                .SelectMany(i => new[] { true, false }.Select(adds => (Request: $"r{round}-{i}", Adds: adds)))
                .Where(call => call.Adds || random.Next(2) == 0)
                .OrderBy(_ => random.Next())
                .ToList();

            await Task.WhenAll(
                calls.Select(
                    (call, i) =>
                        call.Adds
                            ? PutAsync(call.Request, null, 0, package, i % 2 == 0 ? Http : other)
                            : UndoAsync(call.Request, 0, package)
                )
            );

            var isNeeded = calls.Count(call => call.Adds) > calls.Count(call => !call.Adds);
            Assert.Equal(isNeeded ? HttpStatusCode.OK : HttpStatusCode.NotFound, await StatusAsync(package));
        }
    }

    private Task<HttpResponseMessage> PutAsync(
        string request,
        PackageUpsert? package = null,
        int attempt = 0,
        string id = "p1",
        HttpClient? http = null
    ) =>
        (http ?? Http).PutAsync(
            $"/api/packages/{id}?ifAbsent=true&for={request}&attempt={attempt}",
            package ?? Packages.Sample
        );

    private async Task AddAsync(string request, HttpStatusCode expected, PackageUpsert? package = null, int attempt = 0)
    {
        using var response = await PutAsync(request, package, attempt);
        Assert.Equal(expected, response.StatusCode);
    }

    private async Task<string> ConflictAsync(string request, PackageUpsert? package = null, int attempt = 0)
    {
        using var response = await PutAsync(request, package, attempt);
        return (await response.ReadProblemTypeAsync(HttpStatusCode.Conflict))!.Replace(
            "urn:drone-delivery:",
            "",
            StringComparison.Ordinal
        );
    }

    private async Task UndoAsync(string request, int attempt = 0, string id = "p1")
    {
        using var response = await Http.SendAsync(
            HttpMethod.Delete,
            $"/api/packages/{id}/requests/{request}?attempt={attempt}"
        );
        Assert.Equal(HttpStatusCode.NoContent, response.StatusCode);
    }

    private Task<HttpStatusCode> StatusAsync(string id = "p1") => Http.StatusAsync($"/api/packages/{id}");
}
