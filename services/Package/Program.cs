using DroneDelivery.Contracts;
using DroneDelivery.Database;
using DroneDelivery.Database.Retention;
using DroneDelivery.Package;
using DroneDelivery.ServiceDefaults;
using DroneDelivery.ServiceDefaults.Validation;

var builder = WebApplication.CreateSlimBuilder(MigrateCommand.SettingsIn(args));
builder.AddServiceDefaults("package", ContractJson.Configure);
builder.Services.RefuseUnknownMembers(typeof(PackagePatch)); // Workflow sends all other bodies, and may be newer
builder.Services.AddDatabase("package", typeof(PackageStore).Assembly);
builder.Services.AddSingleton<PackageStore>();
builder.Services.AddSingleton<RequestedPackages>();
builder.Services.AddRetention(new OldRows("marks of failed requests", RequestedPackages.Purge));

var app = builder.Build();
app.MapServiceDefaults();
app.MapPackages();
return await app.RunOrMigrateAsync(args);
