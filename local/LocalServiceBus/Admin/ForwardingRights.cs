using DroneDelivery.LocalServiceBus.Access;
using DroneDelivery.LocalServiceBus.Entities;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;

namespace DroneDelivery.LocalServiceBus.Admin;

/// <summary>Whoever lets an entity forward must have Manage for where the messages go, too: with the token of the request, or with
/// another one, which SDKs send beside it.</summary>
internal static class ForwardingRights
{
    private const string Header = "ServiceBusSupplementaryAuthorization",
        DeadLetterHeader = "ServiceBusDlqSupplementaryAuthorization";

    /// <exception cref="UnauthorizedAccessException">The message names the target and the option.</exception>
    public static void Require(HttpRequest request, QueueOptions options)
    {
        var rules = request.HttpContext.RequestServices.GetRequiredService<AccessRules>();
        foreach (var (target, option) in options.ForwardingTargets)
        {
            var path = EntityAddress.PathOf(target);
            var other = request
                .Headers[option == nameof(QueueOptions.ForwardTo) ? Header : DeadLetterHeader]
                .ToString();
            if (
                rules.AreRequired
                && !MayManage(request.Headers.Authorization.ToString(), path)
                && !MayManage(other, path)
            )
            {
                throw new UnauthorizedAccessException(
                    $"Unauthorized access. The claim Manage is required for '{Excerpt.Of(path)}', which {option} names."
                );
            }
        }

        bool MayManage(string authorization, string path)
        {
            var why = "";
            return HttpAccess.GrantOf(rules, authorization, ref why) is { } grant
                && Whole(grant, request).Covers(path, AccessRights.Manage);
        }
    }

    /// <summary>The SDK for JavaScript signs the name of the broker without a scheme. No entity has a colon in its name.</summary>
    private static Grant Whole(Grant grant, HttpRequest request) =>
        grant.Path.Contains(':', StringComparison.Ordinal)
        && grant.Path.Equals(request.Host.Value, StringComparison.OrdinalIgnoreCase)
            ? grant with
            {
                Path = "",
            }
            : grant;
}
