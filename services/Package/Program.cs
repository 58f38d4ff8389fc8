using DroneDelivery.Contracts;
using DroneDelivery.Database;
using DroneDelivery.Package;
using DroneDelivery.ServiceDefaults;

var builder = WebApplication.CreateSlimBuilder(MigrateCommand.SettingsIn(args));
builder.AddServiceDefaults("package", ContractJson.Configure);
builder.Services.AddDatabase("package", typeof(PackageStore).Assembly);
builder.Services.AddSingleton<PackageStore>();
builder.Services.AddSingleton<RequestedPackages>();

var app = builder.Build();
app.MapServiceDefaults();
app.MapPackages();
return await app.RunOrMigrateAsync(args);
