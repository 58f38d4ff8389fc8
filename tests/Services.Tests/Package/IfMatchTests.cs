using System.Net;
using System.Net.Http.Json;
using DroneDelivery.Contracts;

namespace DroneDelivery.Services.Tests.Package;

/// <summary>
/// Two clients that change one package over HTTP: the second one must not undo a change that it has not seen.
/// </summary>
public sealed class IfMatchTests() : WithPackages(hasRealTime: true)
{
    private static readonly PackagePatch Heavier = new() { Weight = 9 };

    private const string P1 = "/api/packages/p1";

    private static readonly PackageUpsert A = new()
    {
        OwnerId = "owner-1",
        Size = PackageSize.Medium,
        Weight = 2.5,
        Tag = "a",
    };
    private static readonly PackageUpsert B = A with { Weight = 7, Tag = "b" };

    [Fact]
    public async Task ETag_changes_only_with_the_package()
    {
        var created = await TagOfAsync(HttpMethod.Put, A, HttpStatusCode.Created);
        Assert.Equal(created, await TagOfAsync(HttpMethod.Get, null, HttpStatusCode.OK));
        Assert.Equal(created, await TagOfAsync(HttpMethod.Put, A, HttpStatusCode.OK));

        var replaced = await TagOfAsync(HttpMethod.Put, B, HttpStatusCode.OK);
        var patched = await TagOfAsync(HttpMethod.Patch, new PackagePatch { Tag = "c" }, HttpStatusCode.OK);

        Assert.Equal(patched, await TagOfAsync(HttpMethod.Get, null, HttpStatusCode.OK));
        Assert.Distinct([created, replaced, patched]);
        using var posted = await Http.PostAsync("/api/packages", A);
        var stored = await posted.ReadAsync<PackageDetails>(HttpStatusCode.Created);
        Assert.NotNull(posted.Headers.ETag);
        Assert.Equal(stored, await Http.GetAsync<PackageDetails>(posted.Headers.Location!.OriginalString));
    }

    [Fact]
    public async Task PATCH_and_DELETE_require_the_current_ETag()
    {
        var read = await TagOfAsync(HttpMethod.Put, A, HttpStatusCode.Created);
        var patched = await TagOfAsync(HttpMethod.Patch, new PackagePatch { Weight = 3 }, HttpStatusCode.OK, read);

        await AssertPreconditionFailedAsync(HttpMethod.Patch, new PackagePatch { Weight = 4 }, read);
        await AssertPreconditionFailedAsync(HttpMethod.Delete, null, read);
        Assert.Equal(3, (await Http.GetAsync<PackageDetails>(P1)).Weight);

        using var deleted = await SendAsync(HttpMethod.Delete, null, patched);
        Assert.Equal(HttpStatusCode.NoContent, deleted.StatusCode);
        await TagOfAsync(HttpMethod.Put, A, HttpStatusCode.Created);
        await AssertPreconditionFailedAsync(HttpMethod.Put, B, read); // A package that is created again gets a new ETag.
    }

    [Fact]
    public async Task PUT_with_the_current_ETag_reverts_a_change()
    {
        await TagOfAsync(HttpMethod.Put, A, HttpStatusCode.Created);
        var changed = await TagOfAsync(HttpMethod.Patch, new PackagePatch { Weight = 7, Tag = "b" }, HttpStatusCode.OK);

        var restored = await TagOfAsync(HttpMethod.Put, A, HttpStatusCode.OK, changed);

        Assert.Equal(restored, await TagOfAsync(HttpMethod.Get, null, HttpStatusCode.OK));
        var stored = await Http.GetAsync<PackageDetails>(P1);
        Assert.Equal((A.Weight, A.Tag), (stored.Weight, stored.Tag));
    }

    [Fact]
    public async Task PUT_with_If_None_Match_star_only_creates()
    {
        using var created = await SendAsync(HttpMethod.Put, A, "*", "If-None-Match");
        Assert.Equal(HttpStatusCode.Created, created.StatusCode);

        await AssertPreconditionFailedAsync(HttpMethod.Put, B, "*", "If-None-Match");
        await AssertPreconditionFailedAsync(HttpMethod.Put, B with { OwnerId = "owner-2" }, "*", "If-None-Match");

        Assert.Equal("a", (await Http.GetAsync<PackageDetails>(P1)).Tag);
        using var unknown = await SendAsync(HttpMethod.Put, B, created.Headers.ETag!.Tag, "If-None-Match");
        Assert.Equal(["ifNoneMatch"], await unknown.ReadInvalidFieldsAsync());
    }

    [Fact]
    public async Task If_Match_accepts_several_ETags_and_star_but_no_weak_ones()
    {
        await AssertPreconditionFailedAsync(HttpMethod.Put, A, "*");
        var tag = await TagOfAsync(HttpMethod.Put, A, HttpStatusCode.Created);

        await AssertPreconditionFailedAsync(HttpMethod.Put, B, $"W/{tag}");
        tag = await TagOfAsync(HttpMethod.Put, B, HttpStatusCode.OK, $"\"other\", {tag}");
        tag = await TagOfAsync(HttpMethod.Patch, new PackagePatch { Tag = "x" }, HttpStatusCode.OK, tag);
        using var deleted = await SendAsync(HttpMethod.Delete, null, "*");
        Assert.Equal(HttpStatusCode.NoContent, deleted.StatusCode);
    }

    [Fact]
    public async Task Other_errors_take_precedence_over_the_ETag()
    {
        await (await SendAsync(HttpMethod.Patch, Heavier, "\"x\"")).ReadProblemAsync(HttpStatusCode.NotFound);
        await (await SendAsync(HttpMethod.Delete, null, "\"x\"")).ReadProblemAsync(HttpStatusCode.NotFound);
        var tag = await TagOfAsync(HttpMethod.Put, A, HttpStatusCode.Created);
        using var ofAnother = await SendAsync(HttpMethod.Put, A with { OwnerId = "owner-2" }, tag);
        await ofAnother.ReadProblemAsync(HttpStatusCode.Conflict);
    }

    [Fact]
    public async Task Malformed_or_too_long_ETag_list_is_rejected()
    {
        var tag = await TagOfAsync(HttpMethod.Put, A, HttpStatusCode.Created);
        var others = string.Join(", ", Enumerable.Range(0, 99).Select(i => $"\"{i}\""));

        foreach (var ifMatch in new[] { "no quotes", "\"open", $"{others}, \"99\", {tag}" })
        {
            foreach (
                var (method, body) in new (HttpMethod, object?)[]
                {
                    (HttpMethod.Put, A),
                    (HttpMethod.Patch, Heavier),
                    (HttpMethod.Delete, null),
                }
            )
            {
                using var response = await SendAsync(method, body, ifMatch);
                Assert.Equal(["ifMatch"], await response.ReadInvalidFieldsAsync());
            }
        }
        await TagOfAsync(HttpMethod.Patch, Heavier, HttpStatusCode.OK, $"{others}, {tag}");
    }

    private async Task<string> TagOfAsync(
        HttpMethod method,
        object? body,
        HttpStatusCode expected,
        string? ifMatch = null
    )
    {
        using var response = await SendAsync(method, body, ifMatch);
        await response.ReadAsync<PackageDetails>(expected);
        Assert.False(response.Headers.ETag?.IsWeak);
        return response.Headers.ETag!.Tag;
    }

    private async Task AssertPreconditionFailedAsync(
        HttpMethod method,
        object? body,
        string condition,
        string header = "If-Match"
    )
    {
        using var response = await SendAsync(method, body, condition, header);
        Assert.Equal(
            "urn:drone-delivery:package-changed",
            await response.ReadProblemTypeAsync(HttpStatusCode.PreconditionFailed)
        );
    }

    private Task<HttpResponseMessage> SendAsync(
        HttpMethod method,
        object? body,
        string? condition = null,
        string header = "If-Match"
    ) =>
        Http.SendAsync(
            method,
            P1,
            body is null ? null : JsonContent.Create(body, body.GetType(), options: ContractJson.Options),
            condition is null ? [] : [(header, condition)]
        );
}
