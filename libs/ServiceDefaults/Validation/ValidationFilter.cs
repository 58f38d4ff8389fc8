using System.Collections.ObjectModel;
using System.ComponentModel.DataAnnotations;
using System.Reflection;
using Microsoft.AspNetCore.Http.Metadata;

namespace DroneDelivery.ServiceDefaults.Validation;

/// <summary>Runs before a handler: checks its parameters by their attributes, and its body by those of its members.</summary>
internal static class ValidationFilter
{
    private static readonly IDictionary<string, string[]> NoErrors = ReadOnlyDictionary<string, string[]>.Empty;

    public static void Add(EndpointBuilder endpoint) =>
        endpoint.FilterFactories.Add(
            (factory, next) =>
            {
                // The framework has found out which parameter is the body; the others are services, routes and queries.
                var body = endpoint.Metadata.OfType<IAcceptsMetadata>().LastOrDefault()?.RequestType;
                var checks = factory
                    .MethodInfo.GetParameters()
                    .Select(parameter => parameter.ParameterType == body ? CheckBody : CheckOf(parameter))
                    .ToArray();
                return Array.TrueForAll(checks, check => check is null)
                    ? next
                    : context => CheckAsync(context, checks, next);
            }
        );

    private static ValueTask<object?> CheckAsync(
        EndpointFilterInvocationContext context,
        Func<object?, IDictionary<string, string[]>>?[] checks,
        EndpointFilterDelegate next
    )
    {
        var errors = new Dictionary<string, string[]>();
        for (var i = 0; i < checks.Length; i++)
        {
            foreach (var (path, messages) in checks[i]?.Invoke(context.Arguments[i]) ?? NoErrors)
                errors[path] = messages;
        }
        return errors.Count == 0
            ? next(context)
            : ValueTask.FromResult<object?>(TypedResults.ValidationProblem(errors));
    }

    private static IDictionary<string, string[]> CheckBody(object? body) =>
        body is null ? NoErrors : RecordValidator.Validate(body);

    private static Func<object?, IDictionary<string, string[]>>? CheckOf(ParameterInfo parameter)
    {
        // A header is called otherwise than a parameter can be.
        var name = parameter.GetCustomAttributes().OfType<IFromHeaderMetadata>().FirstOrDefault()?.Name
            ?? parameter.Name!;
        var rules = parameter.GetCustomAttributes<ValidationAttribute>().ToArray();
        return rules.Length == 0
            ? null
            : value =>
                Array.TrueForAll(rules, rule => rule.IsValid(value))
                    ? NoErrors
                    : new Dictionary<string, string[]>
                    {
                        [name] =
                        [
                            .. rules.Where(rule => !rule.IsValid(value)).Select(rule => rule.FormatErrorMessage(name)),
                        ],
                    };
    }
}
